import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { CallKind } from '../../src/core/call.ts'
import { pass, refuse, type Verdict } from '../../src/core/verdict.ts'
import { kindOfTool } from './built-in-tools.ts'

/** What a host asks about, in one form. `id` and `cwd` are absent when the host did not give them. */
export interface HostRequest {
  readonly id?: string
  readonly kind: CallKind
  /** As the model named it; the runtime's usual name where a native request hides it; empty when there is none. */
  readonly tool: string
  readonly args: unknown
  readonly cwd?: string
}

/**
 * Turns a Copilot permission request, in the hook form or in the native form of its kind, into one form. Total on any
 * JSON value: a kind that it does not know, or none, is `unknown`; what is no object, or lacks the fields of its kind, is
 * refused with `request.invalid`, and so is one that says the call in both forms and not the same. Only a name in `known` is a custom tool in the hook form.
 */
export function translate(request: unknown, known: ReadonlySet<string>): Verdict<HostRequest> {
  const envelope = Envelope.safeParse(request)
  if (!envelope.success) return refuse('request.invalid', 'the request is no object, or its id or folder is no text')
  if (isTwofold(envelope.data)) return refuse('request.invalid', 'it says the call, or its folder, in two ways')
  const { kind, toolCallId, workingDirectory, resolvedWorkingDirectory, cwd } = envelope.data
  const form = formOf(kind, request, known)
  if (form === undefined) return refuse('request.invalid', 'a field of the kind is missing or of another type')
  return pass({
    ...given('id', toolCallId),
    ...form,
    ...given('cwd', workingDirectory ?? resolvedWorkingDirectory ?? cwd),
  })
}

function formOf(kind: unknown, request: unknown, known: ReadonlySet<string>): Form | undefined {
  const read = isKnown(kind) ? FORMS[kind] : undefined
  return read === undefined ? { kind: 'unknown', tool: '', args: request } : read(request, known)
}

const given = <Name extends string>(name: Name, value: string | null | undefined): Partial<Record<Name, string>> =>
  // A computed key has the type string; it is the one name.
  value === undefined || value === null ? {} : ({ [name]: value } as Record<Name, string>)

// Every schema here is loose: a runtime may add fields, and spells an absent value as null or not at all.
const Envelope = z.looseObject({
  kind: z.unknown().optional(),
  cwd: z.string().nullish(),
  toolCallId: z.string().min(1).nullish(),
  workingDirectory: z.string().nullish(),
  resolvedWorkingDirectory: z.string().nullish(),
})

/** What the native forms alone call what they are about. */
const NATIVE = ['fullCommandText', 'path', 'fileName', 'url', 'argv', 'uri']

/** Two forms in one request: whoever reads the other one would see another call than the one that is judged. */
function isTwofold(request: z.output<typeof Envelope>): boolean {
  const { kind, args, toolArgs, workingDirectory, resolvedWorkingDirectory, cwd } = request
  const folders = [workingDirectory, resolvedWorkingDirectory, cwd].filter(isThere)
  if (new Set(folders).size > 1) return true
  // Of a kind that nobody knows nothing is read.
  if (!isKnown(kind)) return false
  if (isThere(toolArgs) && (isThere(args) || kind !== 'hook')) return !isDeepStrictEqual(args, toolArgs)
  return kind === 'hook' && NATIVE.some((name) => isThere(request[name]))
}

const isKnown = (kind: unknown): kind is string => typeof kind === 'string' && Object.hasOwn(FORMS, kind)

const isThere = (value: unknown): boolean => value !== undefined && value !== null

type Form = Pick<HostRequest, 'kind' | 'tool' | 'args'>
type ReadForm = (request: unknown, known: ReadonlySet<string>) => Form | undefined

function form<Fields extends z.ZodRawShape>(
  fields: Fields,
  make: (given: z.output<z.ZodObject<Fields, z.core.$loose>>, known: ReadonlySet<string>) => Form,
): ReadForm {
  const schema = z.looseObject(fields)
  return (request, known) => {
    const parsed = schema.safeParse(request)
    return parsed.success ? make(parsed.data, known) : undefined
  }
}

const Name = z.string().min(1)

function textIn(request: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = request[name]
  return typeof value === 'string' ? value : undefined
}

/** The parts of a request that are the call itself. */
function rest(request: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(request).filter(([name]) => name !== 'kind' && name !== 'toolCallId'))
}

const FORMS: Readonly<Record<string, ReadForm>> = {
  hook: form({ toolName: Name, toolArgs: z.unknown().optional() }, ({ toolName, toolArgs }, known) => ({
    kind: kindOfTool(toolName, known),
    tool: toolName,
    args: toolArgs ?? {},
  })),
  'custom-tool': form({ toolName: Name, args: z.unknown().optional() }, ({ toolName, args }) => ({
    kind: 'custom-tool',
    tool: toolName,
    args: args ?? {},
  })),
  // The other fields of a shell request (paths, URLs, redirects, read-only) have been seen empty and wrong.
  shell: form({ fullCommandText: z.string() }, ({ fullCommandText }) => ({
    kind: 'shell',
    tool: 'bash',
    args: { command: fullCommandText },
  })),
  // A native request does not say which tool reads: it may be a search of a whole folder.
  read: form({ path: z.string() }, ({ path }) => ({ kind: 'read', tool: 'read', args: { path } })),
  write: form({ fileName: z.string() }, (request) => ({
    kind: 'write',
    tool: 'edit',
    args: {
      path: request.fileName,
      ...given('newFileContents', textIn(request, 'newFileContents')),
      ...given('diff', textIn(request, 'diff')),
    },
  })),
  url: form({ url: z.string() }, ({ url }) => ({ kind: 'url', tool: 'web_fetch', args: { url } })),
  mcp: form({ serverName: Name, toolName: Name, args: z.unknown().optional() }, ({ serverName, toolName, args }) => ({
    kind: 'mcp',
    tool: toolName,
    args: { server: serverName, tool: toolName, args: args ?? {} },
  })),
  memory: form({ action: z.enum(['store', 'vote']).nullish() }, (request) => ({
    kind: 'memory',
    tool: request.action === 'vote' ? 'vote_memory' : 'store_memory',
    args: rest(request),
  })),
  factory: form({ operation: z.enum(['run', 'author']).nullish() }, (request) => ({
    kind: 'factory',
    tool: request.operation === 'author' ? 'author_factory' : 'run_factory',
    args: rest(request),
  })),
  exec: form({ argv: z.array(z.string()) }, ({ argv }) => ({ kind: 'exec', tool: '', args: { argv } })),
  'mcp-resource': form({ server: Name, uri: z.string() }, ({ server, uri }) => ({
    kind: 'mcp-resource',
    tool: '',
    args: { server, uri },
  })),
  'api-call': form({ audience: Name, operation: Name, arguments: z.unknown().optional() }, (request) => ({
    kind: 'api-call',
    tool: '',
    args: { audience: request.audience, operation: request.operation, arguments: request.arguments ?? {} },
  })),
  'extension-management': form({}, (request) => ({ kind: 'extension-management', tool: '', args: rest(request) })),
  'extension-permission-access': form({}, (request) => ({
    kind: 'extension-permission-access',
    tool: '',
    args: rest(request),
  })),
  'extension-env-access': form({}, (request) => ({ kind: 'extension-env-access', tool: '', args: rest(request) })),
}
