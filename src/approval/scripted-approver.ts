import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { SettingError } from '../core/setting-error.ts'
import { StrictJsonError, strictJson } from '../core/strict-json.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import type { ApprovalRequest, Approver } from './approver.ts'

const Plain = z.union([z.string(), z.number(), z.boolean(), z.null()])

// Strict throughout: the file is ours, and a misspelled key must not widen what is accepted.
const Pattern = z.union([
  Plain,
  z.strictObject({ oneOf: z.array(Plain).min(1) }),
  z.strictObject({ startsWith: z.string().min(1) }),
  z.strictObject({ any: z.literal(true) }),
])

/** Whose calls an entry is for. Absent: anybody's. */
const who = { caller: z.string().min(1).optional(), tenant: z.string().min(1).optional() }

const Entry = z.union(
  [
    z.strictObject({ digest: z.string().regex(/^[0-9a-f]{64}$/) }),
    z.strictObject({ ...who, tool: z.string().min(1), args: z.record(z.string(), z.json()) }),
    z.strictObject({ ...who, tool: z.string().min(1), match: z.record(z.string(), Pattern) }),
  ],
  { error: 'needs either "digest", or "tool" with "args" or with "match", and nothing else' },
)

const Script = z.strictObject({
  /** Of this format. */
  version: z.literal(1),
  /** What the person says yes to; to everything else it is no. */
  accept: z.array(Entry).max(1_000),
  /** What they give as the reason of a no. */
  reason: z.string().max(200).optional(),
})

type Entry = z.output<typeof Entry>
type Pattern = z.output<typeof Pattern>
type Written = z.output<typeof Plain>

/** A tool's arguments in the one spelling that cards have; undefined for what the tool would not take. */
export type Spelling = (tool: string, args: ToolArguments) => ToolArguments | undefined

/**
 * A person played by a file: it accepts a digest, a tool with exactly these arguments, or a tool whose every argument fits
 * its pattern (a value, `oneOf`, `startsWith`, `any`). An argument that no pattern names is a no, and so is all else. A value
 * may be spelled as a call may spell it: `500` accepts `500.00`.
 * @param name of the file, for the error.
 * @throws SettingError for a text that is not such a file, with the place of the first fault.
 */
export function scriptedApprover(text: string, name: string): (spell: Spelling) => Approver {
  const { accept, reason } = parsed(text, name)
  return (spell) => ({
    ask: (request) => {
      const { digest } = request
      const approved = accept.some((entry) => accepts(entry, request, spell))
      return Promise.resolve(
        approved || reason === undefined ? { digest, approved } : { digest, approved: false, reason },
      )
    },
  })
}

function parsed(text: string, name: string): z.output<typeof Script> {
  const script = Script.safeParse(jsonOf(text, name))
  if (script.success) return script.data
  const [issue] = script.error.issues
  const place = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('')
  throw new SettingError(
    name,
    `is not an approver file at ${place === '' ? 'its top' : place.replace(/^\./, '')}: ${issue?.message ?? 'malformed'}`,
    'Write {"version": 1, "accept": [{"tool": "…", "args": {…}}]}',
  )
}

function jsonOf(text: string, name: string): unknown {
  try {
    return strictJson(text)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    throw new SettingError(name, `is not JSON (${cause.message})`, 'Write one JSON object, without comments')
  }
}

function accepts(entry: Entry, request: ApprovalRequest, spell: Spelling): boolean {
  if ('digest' in entry) return entry.digest === request.digest
  const { tool, args, subject, tenant } = request
  if (entry.tool !== tool) return false
  if (entry.caller !== undefined && entry.caller !== subject.id) return false
  if (entry.tenant !== undefined && entry.tenant !== tenant) return false
  if ('args' in entry) return isSame(entry.args, args) || isSame(spell(tool, entry.args), args)
  const patterns = new Map(Object.entries(entry.match))
  const given = Object.entries(args)
  return (
    given.length === patterns.size &&
    given.every(([key, value]) =>
      fits(value, patterns.get(key), (written) => spell(tool, { ...args, [key]: written })?.[key]),
    )
  )
}

// Both sides are JSON; a parser may have given one of them another prototype.
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const isSame = (one: ToolArguments | undefined, other: ToolArguments): boolean =>
  one !== undefined && isDeepStrictEqual(plain(one), plain(other))

/** @param spelled the value as the call would have it, had it been written so. */
function fits(value: unknown, pattern: Pattern | undefined, spelled: (written: Written) => unknown): boolean {
  if (pattern === undefined) return false
  const is = (each: Written): boolean => each === value || spelled(each) === value
  if (typeof pattern !== 'object' || pattern === null) return is(pattern)
  if ('oneOf' in pattern) return pattern.oneOf.some(is)
  if ('startsWith' in pattern) return typeof value === 'string' && value.startsWith(pattern.startsWith)
  return pattern.any
}
