import { reasonOf, REASONS, type ReasonCode } from '../core/reasons.ts'

const codes = Object.keys(REASONS) as ReasonCode[]

/** Every reason as rows for a table: code, cause, HTTP status, retry, sentence. */
export const reasonRows = (): readonly (readonly string[])[] =>
  codes.map((code) => {
    const { cause, status, retry, says } = reasonOf(code)
    return [code, cause, String(status), retry, says]
  })

/** One reason in full, or undefined when there is no such code. */
export function explained(code: string): { readonly code: string; readonly lines: readonly string[] } | undefined {
  const known = codes.find((each) => each === code)
  if (known === undefined) return undefined
  const { cause, status, retry, says, fix } = reasonOf(known)
  return {
    code: known,
    lines: [
      says,
      `cause   ${cause === 'fault' ? 'fault: something broke' : 'decision: everything worked, and the answer is no'}`,
      `HTTP    ${status}`,
      `retry   ${retry}`,
      `do      ${fix}`,
    ],
  }
}

/** The codes of the same room, for a code that does not exist. */
export const neighbours = (code: string): readonly string[] => {
  const [room = ''] = code.split('.')
  return codes.filter((each) => each.startsWith(`${room}.`))
}
