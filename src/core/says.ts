import type { Opinion } from './opinion.ts'
import { reasonOf, type ReasonCode } from './reasons.ts'

/** The sentence of a reason for the model and the user, with the hint of the opinion that gave it. */
export function says(code: ReasonCode, opinions: readonly Opinion[]): string {
  const source = opinions.find(({ decision }) => decision.kind !== 'permit' && decision.reason === code)
  const sentence = reasonOf(code).says
  return source?.hint === undefined ? sentence : `${sentence} ${source.hint}`
}
