import { reasonOf, REASONS, type ReasonCode } from '../core/reasons.ts'

const codes = Object.keys(REASONS) as ReasonCode[]

/** Every reason as rows for a table: code, cause, HTTP status, retry, sentence. */
export const reasonRows = (): readonly (readonly string[])[] =>
  codes.map((code) => {
    const { cause, status, retry, says } = reasonOf(code)
    return [code, cause, String(status), retry, says]
  })

/** What `--json` prints: of one code, or of all. */
export const reasonObjects = (only?: string): readonly object[] =>
  codes.filter((code) => only === undefined || code === only).map((code) => ({ code, ...reasonOf(code) }))

/** One reason in full: its sentence, and rows of a word and a text. */
interface Explained {
  readonly code: string
  readonly says: string
  readonly rows: readonly (readonly [label: string, text: string])[]
}

/** One reason in full, or undefined when there is no such code. */
export function explained(code: string): Explained | undefined {
  const known = codes.find((each) => each === code)
  if (known === undefined) return undefined
  const { cause, status, retry, says, fix } = reasonOf(known)
  return {
    code: known,
    says,
    rows: [
      ['cause', cause === 'fault' ? 'fault: something broke' : 'decision: everything worked, and the answer is no'],
      ['HTTP', String(status)],
      ['retry', retry],
      ['do', fix],
    ],
  }
}

/** For a code that does not exist: those of the same room, else those that hold the word. */
export const neighbours = (code: string): readonly string[] => {
  const word = code.toLowerCase()
  const [room = ''] = word.split('.')
  const near = codes.filter((each) => each.startsWith(`${room}.`))
  return near.length > 0 || word.length < 3 ? near : codes.filter((each) => each.includes(word))
}
