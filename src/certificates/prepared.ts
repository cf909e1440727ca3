import type { EffectClass } from '../core/effect.ts'
import type { Certificate } from './certificate.ts'
import { reachOf } from './classes.ts'
import type { IntentClass, Money, OwnRecord, Step, SubjectFacts } from './derivation.ts'
import { ownSources, type Stage } from './issue.ts'
import { sameMoney } from './money.ts'
import type { CertificateSettings } from './settings.ts'

/** A certificate with what its checks look up, worked out once: judging a call is then a matter of microseconds. */
export interface Prepared {
  readonly certificate: Certificate
  readonly step: Step
  readonly facts: SubjectFacts
  readonly settings: CertificateSettings
  readonly salt: string
  readonly reach: ReadonlySet<EffectClass>
  readonly denied: ReadonlySet<IntentClass>
  /** The subject's accounts that money can leave. */
  readonly sources: ReadonlySet<string>
  readonly ownByType: ReadonlyMap<string, ReadonlySet<string>>
  /** Every id of the subject's data, with where it is kept. */
  readonly ownIds: ReadonlyMap<string, { readonly type: string; readonly id: string }>
  /** Records that the step names and that hold values of a payment. */
  readonly holders: readonly (OwnRecord & { readonly holds: NonNullable<OwnRecord['holds']> })[]
}

/** Works out what the checks of a stage look up. */
export function prepare(
  { certificate, step }: Stage,
  facts: SubjectFacts,
  settings: CertificateSettings,
  salt: string,
): Prepared {
  const { allowed, denied } = certificate.intentClasses
  const named = new Set(step.records.map(({ type, value }) => `${type} ${value}`))
  const ownByType = new Map<string, Set<string>>()
  const ownIds = new Map<string, { type: string; id: string }>()
  for (const { id } of facts.payees) ownIds.set(id, { type: 'Payee', id })
  for (const { type, id } of facts.records) {
    ownIds.set(id, { type, id })
    ownByType.set(type, (ownByType.get(type) ?? new Set()).add(id))
  }
  return {
    certificate,
    step,
    facts,
    settings,
    salt,
    reach: reachOf(allowed),
    denied: new Set(denied),
    sources: new Set(ownSources(facts)),
    ownByType,
    ownIds,
    holders: facts.records.flatMap((record) =>
      record.holds !== undefined && named.has(`${record.type} ${record.id}`)
        ? [{ ...record, holds: record.holds }]
        : [],
    ),
  }
}

interface Held {
  readonly payee?: string
  readonly amount?: Money
}

/** The one named record that holds all of these values. Two records together hold nothing. */
export const holderOf = ({ holders }: Prepared, { payee, amount }: Held): OwnRecord | undefined =>
  payee === undefined && amount === undefined
    ? undefined
    : holders.find(
        ({ holds }) =>
          (payee === undefined || holds.payees.includes(payee)) &&
          (amount === undefined || holds.amounts.some((held) => sameMoney(held, amount))),
      )
