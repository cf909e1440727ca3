import type { BankData } from '../src/canbank/bank.ts'
import { BANK_ACTIONS, BANK_POLICIES, type BankAction, type KbacPolicy } from './policies.ts'

/** A subject or a resource. */
export interface Entity {
  readonly type: string
  readonly id: string
  readonly properties?: Readonly<Record<string, unknown>>
}

/** What an evaluation asks; its context is not looked at. */
export interface Question {
  readonly subject: Entity
  readonly action: { readonly name: string; readonly properties?: Readonly<Record<string, unknown>> }
  readonly resource: Entity
}

/** A policy of an app's own tool, with a rule that restates its condition. */
export interface Grant {
  readonly policy: KbacPolicy
  readonly permits: Rule
}

type Rule = (subjectId: string, resourceId: string) => boolean

/** Decides one evaluation. Whatever no policy knows is `false`. */
export type DecideOne = (question: Question) => boolean

/** Everything that a stand-in PDP decides, and what its searches go over. */
export interface PdpKnowledge {
  readonly decide: DecideOne
  readonly entities: readonly Entity[]
  readonly actions: readonly string[]
}

/** One bank's customers, accounts and invoices. */
export function bankKnowledge(bank: BankData, grants: readonly Grant[] = []): PdpKnowledge {
  const known = (type: string, list: readonly { readonly id: string }[]) => list.map(({ id }): Entity => ({ type, id }))
  return {
    decide: bankPdp(bank, grants),
    entities: [
      ...known('Customer', bank.customers),
      ...known('Account', bank.accounts),
      ...known('Invoice', bank.invoices),
    ],
    actions: [...BANK_ACTIONS, ...grants.flatMap(({ policy }) => policy.actions)],
  }
}

/** A PDP over one bank's graph; it keeps nothing but what it reads here. */
export function bankPdp(bank: BankData, grants: readonly Grant[] = []): DecideOne {
  const rules = rulesOf(bank)
  const byQuestion = new Map<string, Rule[]>()
  const all = [...BANK_ACTIONS.map((action) => ({ policy: BANK_POLICIES[action], permits: rules[action] })), ...grants]
  for (const { policy, permits } of all) {
    for (const action of policy.actions) {
      const asked = key(policy.subject.type, action, policy.resource.type)
      byQuestion.set(asked, [...(byQuestion.get(asked) ?? []), permits])
    }
  }
  return ({ subject, action, resource }) =>
    byQuestion.get(key(subject.type, action.name, resource.type))?.some((rule) => rule(subject.id, resource.id)) ??
    false
}

/** No policy's words hold a line break, so two questions never share a key with a permit. */
const key = (...words: readonly [string, string, string]): string => words.join('\n')

/** Each policy's condition again, as a look-up. */
function rulesOf(bank: BankData): Readonly<Record<BankAction, Rule>> {
  const customers = new Set(bank.customers.map(({ id }) => id))
  const owners = new Map(bank.accounts.map((account) => [account.id, new Set<string>(account.owners)]))
  const open = new Set(bank.accounts.filter(({ closed }) => !closed).map(({ id }) => id))
  const billedTo = new Map(bank.invoices.map(({ id, customer }) => [id, customer]))
  const isCustomers =
    (rule: Rule): Rule =>
    (subject, resource) =>
      customers.has(subject) && rule(subject, resource)
  const owns = isCustomers((subject, account) => owners.get(account)?.has(subject) ?? false)
  return {
    VIEW_ACCOUNT_BALANCE: owns,
    TRANSFER_FROM_ACCOUNT: (subject, account) => owns(subject, account) && open.has(account),
    VIEW_INVOICE: isCustomers((subject, invoice) => billedTo.get(invoice) === subject),
    VIEW_CUSTOMER_PROFILE: isCustomers((subject, customer) => subject === customer),
  }
}
