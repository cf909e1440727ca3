import { type Command, Option } from 'commander'
import type { AgentdojoCommandOptions } from './agentdojo.io.ts'

/** Adds `scenarios agentdojo` to the commands of `scenarios`. */
export function addAgentdojo(scenarios: Command): void {
  scenarios
    .command('agentdojo')
    .description("AgentDojo's banking suite: every user task, alone and beside every injected one")
    .option('--agentdojo <file>', "the suite's JSON file, over AGENTDOJO_FILE; it is not part of this package")
    .addOption(
      new Option('--order <order>', 'where the injected calls come')
        .choices(['before', 'after', 'both'])
        .default('both'),
    )
    .addOption(new Option('--mode <mode>', 'what protects').choices(['gate', 'prompt-only', 'both']).default('both'))
    .addOption(
      new Option('--certificates <mode>', "how the user's prompt bounds the calls")
        .choices(['enforce', 'shadow', 'off', 'compat', 'conformance'])
        .default('enforce'),
    )
    .addOption(
      new Option('--approver <who>', 'whom a card is put to')
        .choices(['true-action', 'nobody', 'everybody'])
        .default('true-action'),
    )
    .option('--runtime <runs>', 'so many runs (or all), carried by a real Copilot runtime')
    .option('--json', 'print figures and runs as JSON')
    .addHelpText('after', '\nExample:\n  $ intent-gate scenarios agentdojo --agentdojo banking.json')
    .action(async (options: AgentdojoCommandOptions) => {
      const { agentdojoCommand } = await import('./agentdojo.io.ts')
      await agentdojoCommand(options)
    })
}
