import { fingerprint } from './digest.ts'
import { minorOf } from './money.ts'
import { wordsOf } from './words.ts'

/** Values kept of one session, and of one result: enough to name a source, too few to fill a memory. */
const MAX_VALUES = 4096
const MAX_VALUES_PER_RESULT = 1024
/** Longer texts are looked at up to here. */
const MAX_TEXT = 16 * 1024
const MAX_DEPTH = 8

/** What tools have returned in one session, as salted hashes: it can tell where a value came from, and nothing more. */
export interface Seen {
  readonly add: (tool: string, result: unknown) => void
  /** The tool that returned this value first, if one did. */
  readonly toolOf: (value: string) => string | undefined
}

/** An empty memory; `salt` keys its hashes. */
export function createSeen(salt: string): Seen {
  const tools = new Map<string, string>()
  return {
    add: (tool, result) => {
      const values = new Set<string>()
      collect(result, values, 0)
      for (const value of values) keep(tools, fingerprint(salt, value), tool)
    },
    toolOf: (value) => {
      if (tools.size === 0) return undefined
      const minor = minorOf(value)
      return (
        tools.get(fingerprint(salt, value)) ??
        (minor === undefined ? undefined : tools.get(fingerprint(salt, asMinor(minor))))
      )
    },
  }
}

/** The first tool keeps the name; of too many values the oldest goes. */
function keep(tools: Map<string, string>, hash: string, tool: string): void {
  if (tools.has(hash)) return
  tools.set(hash, tool)
  if (tools.size <= MAX_VALUES) return
  const [oldest] = tools.keys()
  if (oldest !== undefined) tools.delete(oldest)
}

/** `500` and `500.00` are one amount. */
const asMinor = (minor: number): string => `minor:${minor}`

function collect(value: unknown, into: Set<string>, depth: number): void {
  if (into.size >= MAX_VALUES_PER_RESULT || depth > MAX_DEPTH) return
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, into, depth + 1)
  } else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    collectText(String(value), into)
  }
}

function collectText(text: string, into: Set<string>): void {
  const looked = text.slice(0, MAX_TEXT)
  if (looked.length <= 256) into.add(looked)
  for (const word of wordsOf(looked)) {
    if (into.size >= MAX_VALUES_PER_RESULT) return
    into.add(word)
    const minor = minorOf(word)
    if (minor !== undefined) into.add(asMinor(minor))
  }
}
