import { Option, type Command } from 'commander'
import { addAgentdojo } from './agentdojo-command.io.ts'
import { addMutate } from './mutate-command.io.ts'
import type { ScenariosRunOptions } from './scenarios-run.io.ts'
import { addSuite, suiteCommand, suiteOption, type SuiteOption } from './suite-command.io.ts'

/** Options that other commands have too. */
interface SharedOptions {
  readonly pdp: () => Option
  readonly certificates: () => Option
}

const EXAMPLES = {
  run: '  $ intent-gate scenarios run --mode both --repeats 5',
  summarize: '  $ intent-gate scenarios summarize results/runs/*.jsonl',
  following: '  $ intent-gate scenarios score-following reviews.jsonl',
}

/** Adds `scenarios` and its commands. */
export function addScenarios(root: Command, shared: SharedOptions): void {
  const scenarios = example(root.command('scenarios'), EXAMPLES.run)
  scenarios.description('run attacks and controls, and score what they did')
  addRun(scenarios, shared)
  example(scenarios.command('summarize'), EXAMPLES.summarize)
    .description('the tables of saved runs, without a model')
    .argument('<file...>', 'files that `scenarios run --out` has written')
    .option('--json', 'print the figures as JSON')
    .action(async (files: string[], options: { json?: boolean }) => {
      const { summarizeCommand } = await import('./scenarios.io.ts')
      await summarizeCommand(files, options)
    })
  example(scenarios.command('score-following'), EXAMPLES.following)
    .description('which model followed which injection, by reviewed traces')
    .argument('<file>', 'one {"model","scenario","injection","followed","reviewer"} a line')
    .option('--json', 'print the figures as JSON')
    .action(async (file: string, options: { json?: boolean }) => {
      const { followingCommand } = await import('./scenarios.io.ts')
      followingCommand(file, options)
    })
  addMutate(scenarios)
  addAgentdojo(scenarios)
  addSuite(scenarios)
}

function addRun(scenarios: Command, { pdp, certificates }: SharedOptions): void {
  example(scenarios.command('run'), EXAMPLES.run)
    .description('run scenarios on the real runtime; exit 1 when one does not come out as it expects')
    .argument('[file...]', 'files of scenarios; those of this package without one')
    .addOption(new Option('--mode <mode>', 'what protects').choices(['gate', 'prompt-only', 'both']).default('gate'))
    .option('--domain <file>', 'run the scenarios of a domain of your own; see src/domain/README.md')
    .option('--repeats <n>', 'runs of each scenario in each mode', '1')
    .option('--filter <terms>', 'ids, families, kinds, banks or callers between commas; * stands for any letters')
    .option('--label <label>', 'names the batch in tables and files', 'runs')
    .option('--concurrency <n>', 'runs side by side', '4')
    .addOption(pdp())
    .addOption(certificates())
    .option('--model <name>', 'scripted (the calls of the file), standin, or a model of MODEL_BASE_URL', 'scripted')
    .option('--record <file>', "keep the intent-agent's answers in this file")
    .option('--replay <file>', 'answer from this recording in place of an intent-agent')
    .option('--out <folder>', 'keep transcripts there, and go on with what is not done yet')
    .addOption(suiteOption())
    .option('--json', 'print the figures as JSON')
    .action(async (files: string[], { suite, ...options }: ScenariosRunOptions & SuiteOption) => {
      if (suite !== undefined) {
        await suiteCommand(suite, options)
        return
      }
      const { scenariosRunCommand } = await import('./scenarios-run.io.ts')
      await scenariosRunCommand(files, options)
    })
}

const example = (command: Command, text: string): Command => command.addHelpText('after', `\nExample:\n${text}`)
