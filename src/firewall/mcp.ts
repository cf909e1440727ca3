import { isExact } from './exact-number.ts'
import { protectedByPattern, textParts } from './mcp-parts.ts'
import { readingOf, type Reading } from './path-forms.ts'
import type { Places } from './places.ts'
import type { Policy } from './policy.ts'
import type { RegisteredTool } from './mcp-tool.ts'
import { foreign } from './spelling.ts'

/** What is wrong with the arguments of an MCP call; `undefined` where nothing is. */
export interface ArgumentFindings {
  /** Physical protected paths that an argument names. */
  readonly protectedPaths: readonly string[]
  /** An argument that leads out of the sandbox, or to nothing that can be judged. */
  readonly beyond: string | undefined
  /** A value that no server should be given: of the wrong type, too deep, not exact. */
  readonly malformed: string | undefined
  /** An argument that a command line would read as an option. */
  readonly option: string | undefined
  /** A path argument that names a file which runs later or configures an agent. */
  readonly later: string | undefined
}

const MAX_DEPTH = 64
/** More values than this cannot be looked at in the time of one decision. */
const MAX_VALUES = 5000

interface Finding {
  readonly kind: keyof ArgumentFindings
  readonly says: string
}

interface Scan {
  readonly cwd: string
  readonly places: Places
  /** Plain names of the arguments that always hold a path. */
  readonly pathNames: ReadonlySet<string>
}

/**
 * Looks at every key and value of the arguments, at any depth. A text argument of the policy is no path, so only its
 * secrets count, and those are looked for elsewhere. Spec: section 10, argument checks; 15, numbers 22 to 24.
 */
export function argumentFindings(
  given: Readonly<Record<string, unknown>>,
  tool: RegisteredTool | undefined,
  policy: Policy,
  places: Places,
): ArgumentFindings {
  if (isTooMany(given)) {
    return { protectedPaths: [], beyond: undefined, malformed: 'too many values', option: undefined, later: undefined }
  }
  const texts = tool === undefined ? [] : textArguments(tool, policy)
  const scan: Scan = {
    places,
    cwd: tool === undefined ? places.root : serverRoot(tool.server, policy, places),
    pathNames: new Set(policy.mcp_path_arguments.map(plainName)),
  }
  const findings = Object.entries(given).flatMap(([name, value]) =>
    texts.includes(name) && typeof value === 'string' ? [] : ofMember(name, value, scan, 0),
  )
  const first = (kind: keyof ArgumentFindings): string | undefined => findings.find((each) => each.kind === kind)?.says
  return {
    protectedPaths: findings.filter(({ kind }) => kind === 'protectedPaths').map(({ says }) => says),
    beyond: first('beyond'),
    malformed: first('malformed'),
    option: first('option'),
    later: first('later'),
  }
}

/** Counts without recursion: the depth is not known to be bounded yet. */
function isTooMany(given: unknown): boolean {
  let left = MAX_VALUES
  const ahead: unknown[] = [given]
  while (ahead.length > 0) {
    const next = ahead.pop()
    if (typeof next !== 'object' || next === null) continue
    const members = Object.values(next)
    left -= members.length
    if (left < 0) return true
    for (const member of members) ahead.push(member)
  }
  return false
}

/** Where the relative paths of a server start: as spelled, so that the walk follows the links of today. */
export function serverRoot(server: string, policy: Policy, places: Places): string {
  const root = Object.hasOwn(policy.mcp_roots, server) ? policy.mcp_roots[server] : undefined
  if (root === undefined) return places.root
  return root.startsWith('/') ? root : `${places.root}/${root}`
}

function textArguments({ server, tool }: RegisteredTool, policy: Policy): readonly string[] {
  const tools = Object.hasOwn(policy.mcp_text_arguments, server) ? policy.mcp_text_arguments[server] : undefined
  return tools !== undefined && Object.hasOwn(tools, tool) ? (tools[tool] ?? []) : []
}

/** `filePath`, `file_path` and `file-path` are one name. */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[-_. ]/g, '')

function ofMember(name: string, value: unknown, scan: Scan, depth: number): readonly Finding[] {
  return [...ofPerhaps(name, scan), ...ofValue(name, value, scan, depth)]
}

function ofValue(name: string, value: unknown, scan: Scan, depth: number): readonly Finding[] {
  if (depth > MAX_DEPTH) return [{ kind: 'malformed', says: 'it is nested too deeply' }]
  const isPath = scan.pathNames.has(plainName(name))
  if (typeof value === 'string') {
    return [
      ...(isPath ? ofText(value, scan) : ofPerhaps(value, scan)),
      ...optionsIn(name, value),
      ...elsewhere(value),
      ...(isPath ? pathOnly(value, scan) : []),
      ...ofParts(name, value, scan),
    ]
  }
  if (Array.isArray(value)) return value.flatMap((member: unknown) => ofValue(name, member, scan, depth + 1))
  if (isPath) return [{ kind: 'malformed', says: 'an argument that holds a path is no text' }]
  if (typeof value === 'number') return ofNumber(value)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => ofMember(key, member, scan, depth + 1))
}

const ofNumber = (value: number): readonly Finding[] =>
  isExact(value) ? [] : [{ kind: 'malformed', says: 'a number beyond 2^53 is not exact' }]

function ofText(text: string, { cwd, places }: Scan): readonly Finding[] {
  if (text.includes('\0') || !text.isWellFormed()) {
    return [{ kind: 'malformed', says: 'a text holds a NUL or a lone surrogate' }]
  }
  return ofReading(readingOf(text, cwd, places))
}

/** A plain word such as `credentials`, in no place of a path and with no such file, is a word. */
function ofPerhaps(text: string, scan: Scan): readonly Finding[] {
  const found = ofText(text, scan)
  const isWord = found.length > 0 && /^[A-Za-z]+$/.test(text)
  return isWord && scan.places.disk.lstat(`${scan.cwd}/${text}`) === undefined ? [] : found
}

/**
 * What a server could take out of a text. A protected path counts wherever it stands; one that leads out only under a name
 * that holds a path, because a text may speak of any path.
 */
function ofParts(name: string, text: string, scan: Scan): readonly Finding[] {
  const isPathName = (each: string): boolean => scan.pathNames.has(plainName(each))
  const { parts, isTooMuch } = textParts(name, text, isPathName(name))
  if (isTooMuch) return [{ kind: 'malformed', says: 'a text holds too many values' }]
  const within = parts.flatMap((part) => {
    const found = [
      ...(isPathName(part.name) ? ofText(part.text, scan) : ofPerhaps(part.text, scan)),
      ...ofPattern(part.text, scan, isPathName(part.name)),
    ]
    const isWhole = part.name !== name && isPathName(part.name)
    const counted = found.filter(({ kind }) => kind === 'protectedPaths' || (isWhole && kind === 'beyond'))
    return part.text.startsWith('--') ? [...counted, ...optionIn(part.text)] : counted
  })
  return [...ofPattern(text, scan, isPathName(name)), ...within]
}

function ofPattern(text: string, { cwd, places }: Scan, isPath: boolean): readonly Finding[] {
  const found = protectedByPattern(text, cwd, places, isPath)
  if (typeof found === 'string') return [{ kind: 'malformed', says: found }]
  return found.map((says) => ({ kind: 'protectedPaths', says }))
}

function ofReading(reading: Reading): readonly Finding[] {
  switch (reading.kind) {
    case 'open':
      return []
    case 'protected':
      return [{ kind: 'protectedPaths', says: reading.path }]
    case 'outside':
      return [{ kind: 'beyond', says: `${reading.path} is outside the sandbox` }]
    case 'refused':
      return [{ kind: 'beyond', says: reading.detail }]
  }
}

/** What only a text that is a path for sure is refused for. */
function pathOnly(text: string, { cwd, places }: Scan): readonly Finding[] {
  if (text.startsWith('~')) return [{ kind: 'beyond', says: 'a path starts at a home folder' }]
  // `HEAD~1` without a slash is no alias of a folder.
  const isAlone = /[\s:]|^[^/]*~[0-9]+$/.test(text)
  const problem = isAlone ? undefined : foreign(text)
  if (problem !== undefined) return [{ kind: 'beyond', says: `a path is refused by its spelling: ${problem}` }]
  const place = places.trace(text, cwd)
  return place.kind === 'open' && place.asks ? [{ kind: 'later', says: place.path }] : []
}

/** A drive or a share of another system, in a text without blanks. */
const elsewhere = (text: string): readonly Finding[] =>
  /^(?:[A-Za-z]:[\\/]|\\\\[\w?.-]+\\)\S*$/.test(text)
    ? [{ kind: 'beyond', says: 'a drive or a share of another system' }]
    : []

/** A lone minus, a negative number, prose and a line of a list are no options. */
const OPTION = /^(?:-{1,2}[A-Za-z]\S*|-[A-Za-z][ \t]+\S+|--[A-Za-z][\w-]*(?:=[^]*|[ \t]+\S+))$/
/** Names of arguments that are a part of a command line, where blanks separate. */
const WORDS = new Set(['args', 'arguments', 'argv', 'options', 'opts', 'flags', 'extraargs', 'commandline', 'cmdline'])

const optionsIn = (name: string, text: string): readonly Finding[] =>
  WORDS.has(plainName(name)) ? text.split(/\s+/).flatMap(optionIn) : optionIn(text)

const optionIn = (text: string): readonly Finding[] =>
  OPTION.test(text.trim()) ? [{ kind: 'option', says: 'a text would be read as an option' }] : []
