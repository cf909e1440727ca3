import { fc } from '@fast-check/vitest'
import { clarify, deny, permit, type Decision } from '../src/core/decision.ts'
import type { ReasonCode } from '../src/core/reasons.ts'
import { REASONS } from '../src/core/reasons.ts'

const anyReason: fc.Arbitrary<ReasonCode> = fc.constantFrom(...(Object.keys(REASONS) as ReasonCode[]))

export const anyDecision: fc.Arbitrary<Decision> = fc.oneof(
  fc.subarray(['confirm', 'draft', 'preflight'] as const).map((some) => permit(...some)),
  anyReason.map(clarify),
  anyReason.map(deny),
)
