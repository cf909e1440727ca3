#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander'
import { visibleJson, visibleLine } from '../core/visible.ts'
import { addAudit, example } from './audit-commands.io.ts'
import { columns } from './columns.io.ts'
import { addCorpus } from './corpus-command.io.ts'
import type { DecideOptions } from './decide.io.ts'
import type { ChatOptions } from './desk.io.ts'
import { EXIT, explainFailure, Interrupted, Unverified } from './failure.io.ts'
import { endOnInterrupt } from './interrupt.io.ts'
import { addScenarios } from './scenarios-command.io.ts'
import type { StandinsCommandOptions } from './standins.io.ts'
import type { WorkspaceCommandOptions } from './workspace.io.ts'

const EXAMPLES = {
  root: `  $ intent-gate chat --as bob "What's the balance of acc-bob-checking?"
  $ intent-gate chat --help`,
  chat: '  $ intent-gate chat --as bob "What\'s the balance of acc-bob-checking?"',
  decide: `  $ echo '{"id":"1","caller":"bob","request":{"kind":"custom-tool","toolCallId":"c1","toolName":"get_account_balance","args":{"account_id":"acc-bob-checking"}}}' | intent-gate decide`,
  explain: '  $ intent-gate explain pdp.denied',
  policy: '  $ intent-gate policy init . && intent-gate policy check intent-gate.policy.json',
  doctor: '  $ intent-gate doctor',
  standins: '  $ intent-gate standins indykite introspect agent --bank fjordbank',
  policyCheck: '  $ intent-gate policy check intent-gate.policy.json',
  policyInit: '  $ intent-gate policy init .',
  workspace: '  $ intent-gate workspace --policy intent-gate.policy.json "run \'ls\'"',
}

function program(): Command {
  const root = example(new Command('intent-gate'), EXAMPLES.root)
    .description('Authorizes every tool call of a Copilot SDK agent, and fails closed.')
    .version(VERSION)
    .option('--debug', 'print the stack of breakage')
    .showSuggestionAfterError()
    .configureOutput({
      getOutHelpWidth: () => columns() ?? HELP_COLUMNS,
      writeErr: (text) => {
        shownHelp += text
      },
    })
    .configureHelp({ minWidthToWrap: NARROWEST_HELP })
    .exitOverride()
  addChat(root)
  addDecide(root)
  addExplain(root)
  addDoctor(root)
  addStandins(root)
  addAudit(root)
  addScenarios(root, { pdp, certificates })
  addPolicy(root)
  addWorkspace(root)
  addCorpus(root)
  return root
}

const VERSION = '0.1.0'
/** Of help in a pipe. */
const HELP_COLUMNS = 80
/** Beside an option, what it does wraps as long as it has this many columns. */
const NARROWEST_HELP = 12
/** What commander would have told on stderr: help when no command is given, else an error that we word ourselves. */
let shownHelp = ''
const bank = (): Option => new Option('--bank <tenant>', 'the bank to sign in at').default('canbank')
const pdp = (): Option => new Option('--pdp <kind>', 'the PDP to ask, over PDP_KIND')

function addChat(root: Command): void {
  example(root.command('chat'), EXAMPLES.chat)
    .description('chat as a signed-in customer: one turn when a message is given')
    .argument('[message]', 'what the customer says')
    .option('--as <customer>', 'the customer who signs in: alice, bob or carol')
    .addOption(bank())
    .option('--no-gate', 'run every custom tool call undecided; stand-ins only')
    .addOption(pdp())
    .addOption(certificates())
    .option('--model <name>', 'standin, scripted, or the name of a model of MODEL_BASE_URL')
    .option('--script <file>', 'what --model scripted answers')
    .option('--ledger <file>', 'keep the books of the bank in this file')
    .option('--audit <file>', 'the audit file')
    .option('--json', 'print the transcript as JSON')
    .action(async (message: string | undefined, options: ChatOptions) => {
      const { chatCommand } = await import('./chat.io.ts')
      await chatCommand(message, options)
    })
}

function addDecide(root: Command): void {
  example(root.command('decide'), EXAMPLES.decide)
    .description('decide calls without a model: JSON on stdin, JSON on stdout')
    .option('--jsonl', 'one JSON object a line')
    .addOption(bank())
    .addOption(pdp())
    .addOption(certificates())
    .option('--policy <file>', 'decide by this firewall policy, for any caller; certificates are off then')
    .option('--policy-sha256 <hex>', 'the digest that the policy file must have')
    .option('--approver <file>', 'JSON: what a person would say yes to')
    .option('--audit <file>', 'write the decisions to this audit file')
    .option('--json', 'print errors as JSON')
    .action(async (options: DecideOptions) => {
      const { decideCommand } = await import('./decide.io.ts')
      await decideCommand(options)
    })
}

function addPolicy(root: Command): void {
  const policy = example(root.command('policy'), EXAMPLES.policy).description('check or make a firewall policy')
  example(policy.command('check'), EXAMPLES.policyCheck)
    .description('what is wrong with a policy, and what may not do what its author thinks')
    .argument('<file>', 'the policy file')
    .option('--strict', 'exit 1 on a warning')
    .option('--json', 'print the findings as JSON')
    .action(async (file: string, options: { strict?: boolean; json?: boolean }) => {
      const { policyCheckCommand } = await import('./policy.io.ts')
      policyCheckCommand(file, options)
    })
  example(policy.command('init'), EXAMPLES.policyInit)
    .description('write a first policy for a folder')
    .argument('[dir]', 'the folder that the agent works in', '.')
    .option('--out <file>', 'where to write it; intent-gate.policy.json in the folder without it')
    .action(async (dir: string, options: { out?: string }) => {
      const { policyInitCommand } = await import('./policy.io.ts')
      policyInitCommand(dir, options)
    })
}

function addWorkspace(root: Command): void {
  example(root.command('workspace'), EXAMPLES.workspace)
    .description('let an agent work on files and run commands, behind a firewall policy')
    .argument('[message]', 'what it is to do; without one, a conversation')
    .requiredOption('--policy <file>', 'the firewall policy')
    .option('--policy-sha256 <hex>', 'the digest that the policy file must have')
    .option('--dir <folder>', 'where the agent starts; the root of the sandbox without it')
    .option('--protect <path...>', 'further paths that no call may touch')
    .option('--host-tools', 'weaker: the runtime runs its own tools on the word of the gate')
    .option('--model <name>', 'standin, scripted, or the name of a model of MODEL_BASE_URL')
    .option('--script <file>', 'what --model scripted answers')
    .option('--audit <file>', 'the audit file')
    .option('--json', 'print the transcript as JSON')
    .action(async (message: string | undefined, options: WorkspaceCommandOptions) => {
      const { workspaceCommand } = await import('./workspace.io.ts')
      await workspaceCommand(message, options)
    })
}

const certificates = (): Option =>
  new Option('--certificates <mode>', "how the user's message bounds the calls")
    .choices(['enforce', 'shadow', 'off', 'compat', 'conformance'])
    .default('enforce')

function addExplain(root: Command): void {
  example(root.command('explain'), EXAMPLES.explain)
    .description('what a reason code means and what to do; all codes without one')
    .argument('[code]', 'a reason code')
    .option('--json', 'print it as JSON, one object a code')
    .action(async (code: string | undefined, options: { json?: boolean }) => {
      const { explainCommand } = await import('./explain.io.ts')
      explainCommand(code, options)
    })
}

function addDoctor(root: Command): void {
  example(root.command('doctor'), EXAMPLES.doctor)
    .description('check the machine, the settings and the services, and try every known way around the gate')
    .addOption(pdp())
    .option('--all', 'list the settings that are not set too')
    .option('--json', 'print the findings as JSON')
    .action(async (options: { pdp?: string; all?: boolean; json?: boolean }) => {
      const { doctorCommand } = await import('./doctor.io.ts')
      await doctorCommand({ ...options, version: VERSION })
    })
}

function addStandins(root: Command): void {
  example(root.command('standins'), EXAMPLES.standins)
    .description('serve the stand-ins for other processes, until Ctrl-C or SIGTERM, which is their normal end: exit 0')
    .argument('[name...]', 'indykite (with the PDP), introspect, issuer, model, agent; all without one')
    .addOption(new Option('--bank <tenant>', 'the bank whose data they serve').default('canbank'))
    .option('--port-indykite <port>', '9002 without it; for each port 0 lets the system choose')
    .option('--port-introspect <port>', '9001 without it')
    .option('--port-issuer <port>', '9003 without it')
    .option('--port-model <port>', '9004 without it')
    .option('--port-agent <port>', '6003 without it')
    .option('--port-agent-health <port>', '8001 without it')
    .option('--host <address>', 'listen there and not on loopback; only for the own network of a container')
    .option('--json', 'print what is open as JSON')
    .action(async (names: string[], options: StandinsCommandOptions) => {
      const { standinsCommand } = await import('./standins.io.ts')
      await standinsCommand(names, options)
    })
}

async function main(argv: readonly string[]): Promise<number> {
  const json = argv.includes('--json')
  try {
    if (process.platform === 'win32') {
      process.stderr.write('intent-gate: runs on Linux and macOS, not on Windows.\n  Use WSL.\n')
      return EXIT.usage
    }
    await program().parseAsync(argv, { from: 'user' })
    return EXIT.done
  } catch (cause) {
    if (cause instanceof Unverified) return EXIT.broken
    // Whatever is still open would only keep the process from ending.
    if (cause instanceof Interrupted) process.exit(EXIT.interrupted)
    if (cause instanceof CommanderError) return usage(cause, json)
    return broken(cause, argv)
  }
}

function broken(cause: unknown, argv: readonly string[]): number {
  if (argv.includes('--debug') && cause instanceof Error) process.stderr.write(`${cause.stack ?? ''}\n`)
  return explainFailure(cause, argv.includes('--json'))
}

/** A pipe to a process that has ended: the SDK leaves this unhandled, and whoever waits for the runtime notices by itself. */
const GONE = new Set<unknown>(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])
const isGone = (cause: unknown): boolean => cause instanceof Error && 'code' in cause && GONE.has(cause.code)

/** Nothing that a library throws where nobody can catch it ends in a stack trace. */
function endOnBreakage(argv: readonly string[]): void {
  const end = (cause: unknown): void => {
    if (!isGone(cause)) process.exit(broken(cause, argv))
  }
  process.on('unhandledRejection', end).on('uncaughtException', end)
}

function usage(cause: CommanderError, json: boolean): number {
  if (cause.exitCode === 0) return EXIT.done
  if (cause.code === 'commander.help' && !json) {
    process.stderr.write(`${shownHelp}\nintent-gate: a command is missing\n`)
    return EXIT.usage
  }
  const says =
    cause.code === 'commander.help'
      ? 'a command is missing'
      : cause.message.replace(/^error: /, '').replaceAll('\n', ' ')
  const fix = 'Run it with --help for the options and an example.'
  if (json) process.stdout.write(`${visibleJson({ error: { code: 'usage', says, fix } })}\n`)
  else process.stderr.write(`intent-gate: ${visibleLine(says)}\n  ${fix}\n`)
  return EXIT.usage
}

process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  // The reader has gone (`| head`): nothing more to say, and nothing went wrong.
  if (cause.code === 'EPIPE') process.exit(EXIT.done)
  process.stderr.write(
    `intent-gate: stdout: cannot be written (${cause.code ?? cause.message})\n  Give it a place with free space.\n`,
  )
  process.exit(EXIT.broken)
})
// Whoever read what we tell beside the result has gone; the result is not theirs to stop.
process.stderr.on('error', () => undefined)
endOnInterrupt()
endOnBreakage(process.argv.slice(2))
process.exitCode = await main(process.argv.slice(2))
