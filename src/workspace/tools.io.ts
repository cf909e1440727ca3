import { join } from 'node:path'
import { z } from 'zod'
import type { CallKind } from '../core/call.ts'
import { defineTool, type ToolSource } from '../core/define-tool.ts'
import type { EffectContract } from '../core/effect.ts'
import { toolCallId } from '../core/ids.ts'
import { reasonOf } from '../core/reasons.ts'
import { ToolRefusal, type ToolContext, type ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import type { Firewall } from '../firewall/firewall.ts'
import { pathGlob } from '../firewall/path-glob.ts'
import type { Places } from '../firewall/places.ts'
import type { AskedCalls } from './asked-calls.ts'
import { CUT, filesBelow } from './below.io.ts'
import type { Executor } from './executor.io.ts'
import { listFolder, makeFolders, readExactText, readLines, readText, writeWhole } from './files.io.ts'
import type { IsOpen } from './open-file.io.ts'
import { Files, Shell, stagesOf } from './plan.ts'
import { search } from './search.io.ts'

/** Lines or names that one answer holds. */
const MAX_LINES = 2_000
/** Milliseconds that names are compared with a pattern. */
const MATCH_MS = 2_000
/** Characters of a pattern for paths. */
const MAX_PATTERN = 1_000

/** What the tools need of the gate that permits them: each asks once more when it runs. */
export interface WorkspaceOptions {
  readonly firewall: Firewall
  /** True when a person was asked about this call before it was permitted. */
  readonly wasAsked: AskedCalls['wasAsked']
  readonly executor: Executor
  /** True when the firewall, asked now, lets this physical path be read although it has a second name. */
  readonly isOpen: IsOpen
  /** The sandbox of this moment. */
  readonly look: () => Places
  /** Where relative paths and commands start. */
  readonly cwd: string
}

/**
 * The tools of a workspace's agent, under the names of the runtime's own, which they replace. Each asks the firewall once
 * more when it runs, and does exactly what the firewall then found: what changed since the decision is refused.
 */
export function workspaceTools(options: WorkspaceOptions): readonly ToolDefinition[] {
  const plan = planner(options)
  const files: FilesOf = (kind, name, args, context) => {
    const { path } = Files.parse(plan(kind, name, args, context))
    return typeof path === 'string' ? [path] : path
  }
  return [bash(plan, options.executor), ...fileTools(files, options), grep(files, options), glob(files)]
}

type Plan = (kind: CallKind, tool: string, args: ToolArguments, context: ToolContext) => ToolArguments
/** The physical paths of a file request. */
type FilesOf = (...asked: Parameters<Plan>) => readonly string[]

const bash = (plan: Plan, executor: Executor): ToolDefinition =>
  tool({
    name: 'bash',
    description: 'Runs simple commands, joined by |, && or ;, with redirects. No variables, wildcards or substitution.',
    parameters: z.object({ command: text('The command line.'), description: text('What it is for.').optional() }),
    effect: ANYTHING,
    run: async (args, context) => {
      const planned = Shell.parse(plan('shell', 'bash', args, context))
      const { exit, output } = await executor.run(stagesOf(planned), planned.cwd, { confirmed: planned.writes ?? [] })
      return `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}exit ${exit}`
    },
  })

const fileTools = (files: FilesOf, { isOpen, look }: WorkspaceOptions): readonly ToolDefinition[] => [
  tool({
    name: 'view',
    description: 'Shows a file with line numbers, or the names in a folder.',
    parameters: z.object({
      path: text('The file or folder.'),
      view_range: z.tuple([z.int(), z.int()]).optional().describe('First and last line, from 1; -1 is the end.'),
    }),
    effect: LOOKS,
    run: (args, context) => shown(files('read', 'view', args, context)[0] ?? '', args.view_range, isOpen),
  }),
  tool({
    name: 'create',
    description: 'Writes a whole file; folders that are missing are made where files may be written.',
    parameters: z.object({ path: text('The file.'), file_text: z.string().describe('Its whole content.') }),
    effect: WRITES,
    run: (args, context) => {
      for (const path of files('write', 'create', args, context)) {
        makeFolders(path, (folder) => {
          const place = look().locate(folder, '/')
          return place.kind === 'open' && place.writable && !place.asks
        })
        writeWhole(path, args.file_text)
      }
      return 'Written.'
    },
  }),
  tool({
    name: 'edit',
    description: 'Replaces a text that occurs exactly once in a file.',
    parameters: z.object({
      path: text('The file.'),
      old_str: text('The text to replace.'),
      new_str: z.string().describe('What takes its place.'),
    }),
    effect: WRITES,
    run: (args, context) => {
      for (const path of files('write', 'edit', args, context)) replaceOnce(path, args.old_str, args.new_str)
      return 'Edited.'
    },
  }),
]

const grep = (files: FilesOf, ground: WorkspaceOptions): ToolDefinition =>
  tool({
    name: 'grep',
    description: 'Searches files for an extended regular expression; what is protected is left out.',
    parameters: z.object({ pattern: text('The expression.'), paths: paths() }),
    effect: LOOKS,
    run: (args, context) => search(args.pattern, files('read', 'grep', args, context), ground),
  })

const glob = (files: FilesOf): ToolDefinition =>
  tool({
    name: 'glob',
    description: 'Lists files whose path from a folder fits a pattern such as src/**/*.ts.',
    parameters: z.object({ pattern: text('The pattern.').max(MAX_PATTERN), paths: paths() }),
    effect: LOOKS,
    run: (args, context) => {
      // Behind the folders stands what the pattern itself spells out; the walk from the folders comes to that anyway.
      const count = Array.isArray(args.paths) ? args.paths.length : 1
      const folders = files('read', 'glob', args, context).slice(0, count)
      return matching(args.pattern, folders)
    },
  })

/** The files below folders that fit a pattern; where an absolute one is given, their whole paths are compared. */
function matching(pattern: string, folders: readonly string[]): string {
  const fits = pathGlob(pattern, { dot: true })
  if (typeof fits === 'string') throw new ToolRefusal('workspace.bad_pattern', `${fits}; use fewer of them.`)
  const isWhole = pattern.startsWith('/')
  const until = performance.now() + MATCH_MS
  const below = folders.map((folder) => ({ folder, ...filesBelow(folder) }))
  const found = below.flatMap(({ folder, files }) =>
    files.flatMap((path) => {
      if (path === '' || performance.now() > until) return []
      const whole = join(folder, path)
      if (!fits(isWhole ? whole : path)) return []
      return [isWhole || folders.length > 1 ? whole : path]
    }),
  )
  const notes = [
    ...(below.some(({ isCut }) => isCut) ? [CUT] : []),
    ...(performance.now() > until ? ['[cut: the pattern takes too long; use a simpler one]'] : []),
  ]
  return [found.length === 0 ? 'No match.' : linesOf(found), ...notes].join('\n')
}

const text = (what: string): z.ZodString => z.string().min(1).describe(what)
const paths = () =>
  z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe('Where to look; the workspace without it.')

// Sentences and resources are for an intent-agent; the policy of a workspace decides without one.
const tool = <Parameters extends z.ZodObject>(
  source: Omit<ToolSource<Parameters>, 'template' | 'resources'>,
): ToolDefinition => defineTool({ ...source, template: `Use ${source.name}`, resources: [] })

const effect = (
  does: EffectContract['class'],
  mutations: readonly string[],
  tier: EffectContract['tier'],
): EffectContract => ({
  class: does,
  tier,
  reversible: mutations.length === 0,
  untrustedOutput: true,
  version: '1',
  predict: (args) => ({
    mutations,
    resources: typeof args['path'] === 'string' ? [args['path']] : [],
    rows: mutations.length === 0 ? 1 : Infinity,
    destinations: [],
    egress: 'user',
  }),
})
const LOOKS = effect('read', [], 'low')
const WRITES = effect('update', ['write:File'], 'medium')
const ANYTHING = effect('update', ['any:Command'], 'high')

/**
 * What the firewall makes of the call now. A person's yes stands; a policy that blocks it meanwhile, or asks about what was
 * permitted without a person, does not let it run.
 */
function planner({ firewall, wasAsked, cwd }: WorkspaceOptions): Plan {
  return (kind, name, args, { login, session, idempotencyKey }) => {
    const id = toolCallId(idempotencyKey)
    const { outcome, args: planned } = firewall.screen({ id, session, turn: 0, login, kind, tool: name, args, cwd })
    // What runs without asking writes only what may be written without asking.
    if (outcome.decision === 'allow') return { ...planned, writes: [] }
    if (outcome.decision === 'require_approval' && wasAsked({ session, tool: name, args }, planned)) return planned
    throw new ToolRefusal(outcome.rule, reasonOf(outcome.rule).says)
  }
}

function shown(path: string, range: readonly [number, number] | undefined, isOpen: IsOpen): string {
  const names = listFolder(path)
  if (names !== undefined) return linesOf(names)
  if (range === undefined) return linesOf(numbered(readText(path, isOpen).split('\n'), 1))
  const from = Math.max(range[0], 1)
  const count = range[1] < 0 ? MAX_LINES : Math.min(range[1] - from + 1, MAX_LINES)
  return numbered(readLines(path, isOpen, from, count), from).join('\n')
}

const numbered = (lines: readonly string[], from: number): readonly string[] =>
  lines.map((line, at) => `${from + at}. ${line}`)

function replaceOnce(path: string, before: string, after: string): void {
  const whole = readExactText(path)
  const [head = '', ...rest] = whole.split(before)
  if (rest.length !== 1) {
    const says =
      rest.length === 0 ? 'The text to replace is not there.' : 'The text to replace is there more than once.'
    throw new ToolRefusal('workspace.no_single_match', says)
  }
  writeWhole(path, head + after + (rest[0] ?? ''))
}

const linesOf = (lines: readonly string[]): string =>
  [...lines.slice(0, MAX_LINES), ...(lines.length > MAX_LINES ? [`… ${lines.length - MAX_LINES} more`] : [])].join('\n')
