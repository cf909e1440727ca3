import { sealed, type Certificate } from './certificate.ts'
import type { IntentClass } from './derivation.ts'

/** What a child certificate asks for; what it leaves out it takes over. */
export interface Wish {
  readonly id: string
  readonly allowed?: readonly IntentClass[]
  readonly denied?: readonly IntentClass[]
  readonly maxRows?: number
  readonly mutations?: number
  readonly amountMinor?: number
  readonly calls?: number
  readonly expiresAt?: string
}

const smaller = (parent: number, wish: number | undefined): number => Math.min(parent, wish ?? parent)

/** A certificate under another one, for someone who acts for its holder: in every field at most the parent (M4). */
export function attenuated(parent: Certificate, wish: Wish): Certificate {
  const { intentClasses, effectBounds, effectBudget, expiresAt } = parent
  const wished = wish.expiresAt ?? expiresAt
  const { amountMinor } = effectBudget
  return sealed({
    ...parent,
    id: wish.id,
    parentId: parent.id,
    intentClasses: {
      allowed: intentClasses.allowed.filter((kind) => wish.allowed?.includes(kind) ?? true),
      denied: [...new Set([...intentClasses.denied, ...(wish.denied ?? [])])].sort(),
    },
    effectBounds: { ...effectBounds, maxRows: smaller(effectBounds.maxRows, wish.maxRows) },
    effectBudget: {
      mutations: smaller(effectBudget.mutations, wish.mutations),
      amountMinor: amountMinor === null ? (wish.amountMinor ?? null) : smaller(amountMinor, wish.amountMinor),
      calls: smaller(effectBudget.calls, wish.calls),
    },
    expiresAt: Date.parse(wished) < Date.parse(expiresAt) ? wished : expiresAt,
  })
}
