import { z } from 'zod'
import type { CallKind, ToolCall } from '../core/call.ts'
import { unreachable } from '../core/unreachable.ts'
import { patchFiles } from './patch-files.ts'

/**
 * How far a read goes: `names`: what is named, the names in a folder. `tree`: everything below a folder. `search`: the
 * same, by the tool that ours replaces, which leaves out what is protected.
 */
type Reach = 'names' | 'tree' | 'search'

/** What a call asks for, in the firewall's own words. Everything in it is as the agent spelled it. Spec: section 1.1. */
export type ActionRequest = CheckableRequest | UncheckableRequest

/**
 * The texts under argument names that nobody knows: each could be another file, so they are looked at, and the request is
 * refused. Absent when every name is known.
 */
type Strange = readonly string[]

/** The request of one tool. */
export type RequestOf<Tool extends ActionRequest['tool']> = Extract<ActionRequest, { tool: Tool }>

type CheckableRequest =
  | {
      readonly tool: 'fs.read'
      readonly paths: readonly string[]
      readonly reach: Reach
      readonly cwd: string | undefined
      readonly strange?: Strange
    }
  | {
      readonly tool: 'fs.write'
      readonly paths: readonly string[]
      readonly cwd: string | undefined
      readonly strange?: Strange
    }
  | { readonly tool: 'shell.run'; readonly command: ShellCommand; readonly cwd: string | undefined }
  | { readonly tool: 'net.request'; readonly url: string; readonly method: string; readonly hasBody: boolean }
  | {
      readonly tool: 'mcp.call'
      /** Undefined when the host joined it to the name. */
      readonly server: string | undefined
      readonly name: string
      readonly arguments: Readonly<Record<string, unknown>>
    }
  | { readonly tool: 'mcp.resource'; readonly server: string; readonly uri: string }
  | {
      readonly tool: 'api.call'
      readonly audience: string
      readonly operation: string
      readonly arguments: Readonly<Record<string, unknown>>
    }

/** A request that no rule can let through. */
export type UncheckableRequest =
  /** Nobody knows what the call would do. */
  | { readonly tool: 'unknown' }
  /** The fields of a known tool are missing or of another type. */
  | { readonly tool: 'malformed'; readonly detail: string }
  /** The host can do it, the firewall cannot check it. */
  | { readonly tool: 'unsupported'; readonly detail: string }

/** A line for a shell, or words that no shell sees. */
type ShellCommand = { readonly line: string } | { readonly argv: readonly string[] }

/** What the firewall needs of a call. */
export type HostCall = Pick<ToolCall, 'kind' | 'tool' | 'args'> & { readonly cwd?: string | undefined }

/** Turns a host's call into the firewall's own request. Total: what it cannot read is `unknown` or `malformed`. */
export function requestOf(call: HostCall): ActionRequest {
  return READERS[call.kind](call)
}

type Reader = (call: HostCall) => ActionRequest

const unknown: Reader = () => ({ tool: 'unknown' })
const malformed = (detail: string): ActionRequest => ({ tool: 'malformed', detail })

/** A reader for arguments of one shape. */
function fields<Shape extends z.ZodType>(
  shape: Shape,
  make: (args: z.output<Shape>, call: HostCall) => ActionRequest,
): Reader {
  return (call) => {
    const parsed = shape.safeParse(call.args)
    if (parsed.success) return make(parsed.data, call)
    return malformed(`${nameOf(parsed.error)} is missing, unknown or of another type`)
  }
}

const nameOf = (error: z.ZodError): string => String(error.issues[0]?.path[0] ?? 'an argument')

const Name = z.string().min(1)
const Many = z.union([Name.transform((path) => [path]), z.array(Name).min(1)])
const anything = <Key extends string>(...keys: readonly Key[]): Readonly<Record<Key, z.ZodOptional<z.ZodUnknown>>> =>
  // The keys are those of the list.
  Object.fromEntries(keys.map((key) => [key, z.unknown().optional()])) as Record<Key, z.ZodOptional<z.ZodUnknown>>
/** Every name for a file is read, and all of them must pass. */
const PATHS = {
  path: Name.nullish(),
  paths: Many.nullish(),
  file_path: Name.nullish(),
  filePath: Name.nullish(),
  fileName: Name.nullish(),
}
const TEXTS = anything('old_str', 'new_str', 'old_string', 'new_string', 'replace_all', 'insert_line', 'insert_text')
const FILTERS = anything('type', 'output_mode', 'multiline', 'head_limit', '-A', '-B', '-C', '-i', '-n')
// Loose only so that what is not known can be looked at before it is refused. What is known beside the names (a range,
// a text) does not change which file is touched.
const Edit = z.looseObject({ ...PATHS, ...TEXTS })
const FileArguments = z.looseObject({
  ...PATHS,
  ...TEXTS,
  ...anything('command', 'description', 'view_range', 'forceReadLargeFiles'),
  ...anything('file_text', 'content', 'newFileContents', 'diff'),
  edits: z.array(Edit).nullish(),
})
const SearchArguments = z.looseObject({
  ...PATHS,
  ...FILTERS,
  ...anything('glob', 'description'),
  pattern: z.string().nullish(),
})
// Closed: an argument that is not known could be a folder or an environment.
const BashArguments = z.strictObject({
  command: Name,
  description: z.unknown().optional(),
  shellId: z.unknown().optional(),
  mode: z.unknown().optional(),
  detach: z.unknown().optional(),
  initial_wait: z.unknown().optional(),
  timeout: z.unknown().optional(),
})
// Closed, too: a header, a proxy or another body would carry something out.
const FetchArguments = z.strictObject({
  url: Name,
  method: z.string().default('GET'),
  body: z.unknown().optional(),
  ...anything('max_length', 'start_index', 'raw', 'timeout'),
})
const Arguments = z.record(z.string(), z.unknown())

interface Naming {
  readonly path?: string | null | undefined
  readonly paths?: readonly string[] | null | undefined
  readonly file_path?: string | null | undefined
  readonly filePath?: string | null | undefined
  readonly fileName?: string | null | undefined
  readonly edits?: readonly Naming[] | null | undefined
}

function named(args: Naming): readonly string[] {
  const single = [args.path, args.file_path, args.filePath, args.fileName]
  const all = [...single, ...(args.paths ?? [])].filter((path) => typeof path === 'string')
  return [...all, ...(args.edits ?? []).flatMap(named)]
}

/** What stands under names that the shape does not have; nothing when there are none. */
function strangeIn(args: Naming, shape: z.ZodObject): { readonly strange?: Strange } {
  const unknownOf = (given: object, known: z.ZodObject): readonly unknown[] =>
    Object.entries(given).flatMap(([name, value]: [string, unknown]) =>
      Object.hasOwn(known.shape, name) ? [] : [[value]],
    )
  const found = [...unknownOf(args, shape), ...(args.edits ?? []).flatMap((edit) => unknownOf(edit, Edit))]
  return found.length === 0 ? {} : { strange: found.flat(3).filter(isText) }
}

const reads = (reach: Reach): Reader =>
  fields(FileArguments, (args, { cwd }) => {
    const paths = named(args)
    if (paths.length === 0) return malformed('path is missing')
    return { tool: 'fs.read', paths, reach, cwd, ...strangeIn(args, FileArguments) }
  })

/** Without a path, a search starts at the current folder. */
const search = (reach: Reach): Reader =>
  fields(SearchArguments, (args, { cwd }) => {
    if (args.pattern?.startsWith('-') === true) return malformed('the pattern would be read as an option')
    const paths = named(args)
    const strange = strangeIn(args, SearchArguments)
    return { tool: 'fs.read', paths: paths.length === 0 ? ['.'] : paths, reach, cwd, ...strange }
  })

/** What a pattern spells out before its first wildcard is a path too; behind it, nothing may go up. */
const glob = fields(SearchArguments, (args, { cwd }) => {
  const { pattern } = args
  if (pattern === undefined || pattern === null || pattern === '') return malformed('pattern is missing')
  if (/(?:^|[/{,(|\\])\.\.(?:$|[/},)|\\])/.test(pattern)) return malformed('the pattern leads upwards')
  const start = /^[^*?[{(!]*/.exec(pattern)?.[0] ?? ''
  const folder = start.slice(0, start.lastIndexOf('/') + 1)
  const paths = named(args)
  return {
    tool: 'fs.read',
    paths: [...(paths.length === 0 ? ['.'] : paths), ...(folder === '' ? [] : [folder])],
    reach: 'names',
    cwd,
    ...strangeIn(args, SearchArguments),
  }
})

const writes: Reader = fields(FileArguments, (args, { cwd }) => {
  const paths = named(args)
  if (paths.length === 0) return malformed('path is missing')
  return { tool: 'fs.write', paths, cwd, ...strangeIn(args, FileArguments) }
})

/** One tool for reading and writing; what is not plainly a look is a write. */
const editor: Reader = (call) => {
  const look = z.looseObject({ command: z.literal('view') }).safeParse(call.args)
  return look.success ? reads('names')(call) : writes(call)
}

const patch: Reader = (call) => {
  const text = z.union([Name, z.looseObject({ input: Name }), z.looseObject({ patch: Name })]).safeParse(call.args)
  if (!text.success) return malformed('the patch is missing')
  const files = patchFiles(
    typeof text.data === 'string' ? text.data : Object.values(text.data).filter(isText).join('\n'),
  )
  switch (files.kind) {
    case 'files':
      return { tool: 'fs.write', paths: files.paths, cwd: call.cwd }
    case 'malformed':
      return malformed(files.detail)
    case 'unsupported':
      return { tool: 'unsupported', detail: files.detail }
    default:
      return unreachable(files)
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

const READ_TOOLS: ReadonlyMap<string, Reader> = new Map([
  ['view', reads('names')],
  ['show_file', reads('names')],
  ['grep', search('search')],
  ['rg', search('tree')],
  ['glob', glob],
  // A native request does not say which tool reads, and it may be a search of the whole folder.
  ['read', reads('tree')],
])

const WRITE_TOOLS: ReadonlyMap<string, Reader> = new Map([
  ...['create', 'edit', 'insert', 'str_replace', 'multi_edit', 'undo_edit', 'write'].map((name): [string, Reader] => [
    name,
    writes,
  ]),
  ['str_replace_editor', editor],
  ['apply_patch', patch],
])

const fetches = fields(FetchArguments, ({ url, method, body }) => ({
  tool: 'net.request',
  url,
  method,
  hasBody: body !== undefined && body !== null && body !== '',
}))

const runsLine = fields(BashArguments, ({ command }, { cwd }) => ({
  tool: 'shell.run',
  command: { line: command },
  cwd,
}))

const mcpOf = fields(
  z.looseObject({ server: Name.optional(), tool: Name, args: Arguments.default({}) }),
  ({ server, tool, args }) => ({ tool: 'mcp.call', server, name: tool, arguments: args }),
)

/** A host that asks by name only joins the server of an MCP tool to it; no tool of the runtime has a hyphen. */
const joinedName: Reader = (call) => {
  if (!call.tool.includes('-') && !call.tool.startsWith('mcp__')) return unknown(call)
  const args = Arguments.safeParse(call.args ?? {})
  if (!args.success) return malformed('the arguments are no object')
  return { tool: 'mcp.call', server: undefined, name: call.tool, arguments: args.data }
}

const READERS: Readonly<Record<CallKind, Reader>> = {
  'custom-tool': unknown,
  shell: (call) => (call.tool === 'bash' ? runsLine(call) : unknown(call)),
  exec: fields(z.strictObject({ argv: z.array(z.string()).min(1) }), ({ argv }, { cwd }) => ({
    tool: 'shell.run',
    command: { argv },
    cwd,
  })),
  read: (call) => (READ_TOOLS.get(call.tool) ?? unknown)(call),
  write: (call) => (WRITE_TOOLS.get(call.tool) ?? unknown)(call),
  url: (call) => (call.tool === 'web_fetch' ? fetches(call) : unknown(call)),
  mcp: mcpOf,
  'mcp-resource': fields(z.looseObject({ server: Name, uri: Name }), ({ server, uri }) => ({
    tool: 'mcp.resource',
    server,
    uri,
  })),
  'api-call': fields(z.looseObject({ audience: Name, operation: Name, arguments: Arguments.default({}) }), (args) => ({
    tool: 'api.call',
    audience: args.audience,
    operation: args.operation,
    arguments: args.arguments,
  })),
  memory: unknown,
  'extension-management': unknown,
  factory: unknown,
  'extension-permission-access': unknown,
  'extension-env-access': unknown,
  unknown: joinedName,
}
