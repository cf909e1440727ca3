import type { Command } from 'commander'
import type { CorpusRunOptions } from './corpus.io.ts'

const EXAMPLE = "  $ intent-gate corpus run --filter 'egress,SH-*'"

/** Adds `corpus` and its command. */
export function addCorpus(root: Command): void {
  root
    .command('corpus')
    .description('attacks on the firewall and their benign twins')
    .command('run')
    .description('play every case through the gate; exit 1 when one does not come out as it says')
    .argument('[file...]', 'files of cases; those of this package without one')
    .option('--filter <terms>', 'ids, families or origins between commas; * stands for any letters')
    .option('--json', 'print the results as JSON')
    .addHelpText('after', `\nExample:\n${EXAMPLE}`)
    .action(async (files: string[], options: CorpusRunOptions) => {
      const { corpusRunCommand } = await import('./corpus.io.ts')
      await corpusRunCommand(files, options)
    })
}
