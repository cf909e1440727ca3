import { type Command, Option } from 'commander'
import type { MutateOptions } from './mutate.io.ts'

/** Adds `scenarios mutate` to the commands of `scenarios`. */
export function addMutate(scenarios: Command): void {
  scenarios
    .command('mutate')
    .description("put near-misses of the scenarios' authorized calls to the gate, and count what it accepts")
    .argument('[file...]', 'files of scenarios; those of this package without one')
    .option('--seed <n>', 'the same seed gives the same near-misses', '1')
    .option('--at-least <n>', 'how many there must be', '1000')
    .addOption(new Option('--pdp <kind>', 'the PDP to ask, over PDP_KIND'))
    .addOption(
      new Option('--certificates <mode>', "how the user's message bounds the calls")
        .choices(['enforce', 'shadow', 'off', 'compat', 'conformance'])
        .default('enforce'),
    )
    .option('--max-accepted <n>', 'exit 1 when more are accepted')
    .option('--json', 'print figures and near-misses as JSON')
    .addHelpText('after', '\nExample:\n  $ intent-gate scenarios mutate --seed 7')
    .action(async (files: string[], options: MutateOptions) => {
      const { mutateCommand } = await import('./mutate.io.ts')
      await mutateCommand(files, options)
    })
}
