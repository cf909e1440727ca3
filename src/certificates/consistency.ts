import type { NormalizedCall } from '../core/call.ts'
import { readArguments } from './arguments.ts'
import { isWrite } from './classes.ts'
import type { Fault, Findings } from './findings.ts'
import { predicted } from './predicted.ts'
import type { Prepared } from './prepared.ts'
import {
  amountWithin,
  contained,
  deniedEffect,
  destinations,
  freeText,
  pins,
  reviewable,
  rows,
  windows,
} from './check-values.ts'
import { outsideRecords, outsideWorkspace, unbound } from './check-targets.ts'
import { changesNothing } from './unchanged.ts'

type CheckName = 'K1' | 'K2' | 'K3' | 'K4' | 'K5' | 'K6' | 'K7' | 'K8' | 'K9' | 'K10' | 'K11' | 'K12' | 'K13' | 'K14'

/** A call as the checks see it: parsed by its tool's closed schema before. */
export type Proposal = Pick<NormalizedCall, 'definition' | 'args'>

interface Inconsistent extends Fault {
  readonly ok: false
  readonly check: CheckName
}

/** What a consistent call still leaves open: a person decides about it, or nobody has to. */
export interface Consistent {
  readonly ok: true
  /** Arguments whose value neither the user's words nor a record that they name settle. */
  readonly unbound: readonly string[]
  /** Arguments that a record holds which the user names. */
  readonly fromRecord: readonly string[]
  /** What would be written is there already, as far as the bank's data of this message says. */
  readonly changesNothing: boolean
  readonly check?: CheckName
  readonly detail?: string
}

type Check = readonly [CheckName, (prepared: Prepared, found: Findings) => Fault | undefined]

const mismatch = (detail: string): Fault => ({ kind: 'deny', code: 'agent.intent_tool_mismatch', detail, ask: [] })

/** First failure wins. A class that the message forbids is told before one that it does not mention. */
const CHECKS: readonly Check[] = [
  ['K3', ({ denied }, { tool }) => (denied.has(tool.effect.class) ? mismatch('denied_class') : undefined)],
  ['K2', ({ reach }, { tool }) => (reach.has(tool.effect.class) ? undefined : mismatch('tool_not_covered'))],
  ['K3', deniedEffect],
  ['K4', outsideRecords],
  ['K5', outsideWorkspace],
  ['K6', unbound],
  ['K7', windows],
  ['K8', rows],
  ['K9', amountWithin],
  ['K10', pins],
  ['K11', freeText],
  ['K12', contained],
  ['K13', destinations],
  ['K14', reviewable],
]

/**
 * Whether the certificate's request justifies this call, down to its values (intent-certificate model, consistency gate).
 * Pure, and total over calls that their schema admits: a contract that throws is a refusal.
 */
export function consistency(
  prepared: Prepared,
  { definition, args }: Proposal,
  amountLeft: number | null,
): Consistent | Inconsistent {
  const effect = predicted(definition, args)
  if (effect === undefined) {
    return { ok: false, check: 'K1', kind: 'deny', code: 'agent.action_invalid', detail: 'schema', ask: [] }
  }
  const found: Findings = {
    tool: definition,
    effect,
    args: readArguments(definition, args),
    writes: isWrite(definition.effect.class),
    amountLeft,
    unbound: [],
    fromRecord: [],
    notes: [],
  }
  for (const [check, run] of CHECKS) {
    const fault = run(prepared, found)
    if (fault !== undefined) return { ok: false, check, ...fault }
  }
  const [note] = found.notes
  const { unbound: open, fromRecord } = found
  return { ok: true, unbound: open, fromRecord, changesNothing: changesNothing(prepared, found), ...note }
}
