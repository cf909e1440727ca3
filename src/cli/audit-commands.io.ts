import { Option, type Command } from 'commander'

const EXAMPLES = {
  verify: '  $ intent-gate audit verify audit.jsonl',
  show: '  $ intent-gate audit show audit.jsonl --caller bob --decision deny',
  reconcile: '  $ intent-gate audit reconcile audit.jsonl',
}

/** Adds an example below the help of a command. */
export const example = (command: Command, text: string): Command => command.addHelpText('after', `\nExample:\n${text}`)

/** `intent-gate audit` and what is below it. */
export function addAudit(root: Command): void {
  const audit = example(root.command('audit'), EXAMPLES.verify).description('check and read an audit file')
  example(audit.command('verify'), EXAMPLES.verify)
    .description('check the chain of an audit file against its head')
    .argument('<file>', 'the audit file')
    .option('--json', 'print the findings as JSON')
    .action(async (file: string, options: { json?: boolean }) => {
      const { verifyCommand } = await import('./audit.io.ts')
      await verifyCommand(file, options)
    })
  example(audit.command('show'), EXAMPLES.show)
    .description('one row for each call: decision and outcome')
    .argument('<file>', 'the audit file')
    .option('--tenant <tenant>', 'only this bank')
    .option('--caller <id>', 'only this caller')
    .option('--tool <name>', 'only this tool')
    .option('--session <id>', 'only this session')
    .addOption(new Option('--decision <kind>', 'only these decisions').choices(['permit', 'clarify', 'deny']))
    .option('--code <code>', 'only this reason')
    .option('--since <time>', 'only from this ISO 8601 instant on')
    .option('--full', 'with sentence, evaluations and opinions of each call')
    .option('--follow', 'go on with new lines as they are written')
    .option('--json', 'one JSON object a row')
    .action(async (file: string, options: Record<string, string | boolean | undefined>) => {
      const { showCommand } = await import('./audit.io.ts')
      await showCommand(file, options)
    })
  example(audit.command('reconcile'), EXAMPLES.reconcile)
    .description('permitted calls without an outcome: what a crash left open')
    .argument('<file>', 'the audit file')
    .option('--json', 'one JSON object a call')
    .action(async (file: string, options: { json?: boolean }) => {
      const { reconcileCommand } = await import('./audit.io.ts')
      await reconcileCommand(file, options)
    })
}
