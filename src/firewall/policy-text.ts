import type { z } from 'zod'
import type { SettingError } from '../core/setting-error.ts'
import { PolicySchema, type Policy } from './policy.ts'
import { readJson, type Position, type Spot } from './positioned-json.ts'

/** One thing that is wrong with a policy text, and where. */
interface PolicyProblem extends Position {
  /** The key it is about, as `network.allow[0]`; empty for the whole text. */
  readonly key: string
  readonly says: string
}

/** A policy, or everything that keeps the text from being one. */
type PolicyReading =
  | {
      readonly ok: true
      readonly policy: Policy
      /** What is wrong with a setting of this policy, as one line with its place in the text. */
      readonly located: (fault: SettingError) => string
    }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] }

/** Reads a policy file's text. Strict: a fault anywhere means that there is no policy. Lines and columns count from 1. */
export function readPolicy(text: string): PolicyReading {
  const json = readJson(text)
  if (!json.ok) return { ok: false, problems: [{ ...json.at, key: '', says: json.says }] }
  const parsed = PolicySchema.safeParse(json.value)
  if (parsed.success) return { ok: true, policy: parsed.data, located: (fault) => faultLine(fault, json.spots) }
  return { ok: false, problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, json.spots)) }
}

/** One line for a person: `line 3, column 5: network.mode: …`. */
export function problemLine({ line, column, key, says }: PolicyProblem): string {
  return `line ${line}, column ${column}: ${key === '' ? '' : `${key}: `}${says}`
}

const faultLine = ({ what, problem }: SettingError, spots: Spots): string =>
  problemLine({ ...placeOf(spots, [what], 'value'), key: what, says: problem })

type Spots = ReadonlyMap<string, Spot>

function problemsOf(issue: z.core.$ZodIssue, spots: Spots): readonly PolicyProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = [...issue.path, key]
      const says = `this key is not known${nearest(key, issue.path.length)}`
      return { ...placeOf(spots, path, 'key'), key: spell(path), says }
    })
  }
  const isMissing = issue.code === 'invalid_type' && !spots.has(JSON.stringify(issue.path))
  const says = isMissing ? 'this key is missing' : issue.message.charAt(0).toLowerCase() + issue.message.slice(1)
  return [{ ...placeOf(spots, issue.path, 'value'), key: spell(issue.path), says }]
}

/** Where the value is; for one that is missing, where the object is that lacks it. */
function placeOf(spots: Spots, path: readonly PropertyKey[], part: keyof Spot): Position {
  for (let length = path.length; length > 0; length--) {
    const spot = spots.get(JSON.stringify(path.slice(0, length)))
    if (spot !== undefined) return spot[part]
  }
  return spots.get('[]')?.value ?? { line: 1, column: 1 }
}

function spell(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')
}

/** A known key of the top level with the same letters, or one letter apart. */
function nearest(key: string, depth: number): string {
  if (depth > 0) return ''
  const known = Object.keys(PolicySchema.shape).find((name) => isNear(plain(name), plain(key)))
  return known === undefined ? '' : `; did you mean ${known}?`
}

const plain = (key: string): string => key.toLowerCase().replaceAll(/[^a-z]/g, '')

function isNear(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++
  return Math.max(one.length, other.length) - start - end <= 2
}
