/** What a customer can do in the bank; each has one policy, and one rule in `pdp.ts`. */
export const BANK_ACTIONS = [
  'VIEW_ACCOUNT_BALANCE',
  'TRANSFER_FROM_ACCOUNT',
  'VIEW_INVOICE',
  'VIEW_CUSTOMER_PROFILE',
] as const
export type BankAction = (typeof BANK_ACTIONS)[number]

/** One IndyKite KBAC policy, as `GET /access/v1/policies` shows it (policy version 2.0-kbac). */
export interface KbacPolicy {
  readonly meta: { readonly policy_version: '2.0-kbac' }
  readonly subject: { readonly type: string }
  /** One to five. */
  readonly actions: readonly string[]
  readonly resource: { readonly type: string }
  /** The variables are literally `subject` and `resource`. */
  readonly condition: { readonly cypher: string }
}

const policy = (action: BankAction, type: string, cypher: string): KbacPolicy => ({
  meta: { policy_version: '2.0-kbac' },
  subject: { type: 'Customer' },
  actions: [action],
  resource: { type },
  condition: { cypher },
})

/** The bank's policies; a decision is the OR over them. */
export const BANK_POLICIES: Readonly<Record<BankAction, KbacPolicy>> = {
  VIEW_ACCOUNT_BALANCE: policy(
    'VIEW_ACCOUNT_BALANCE',
    'Account',
    'MATCH (subject:Customer)-[:OWNS]->(resource:Account)',
  ),
  TRANSFER_FROM_ACCOUNT: policy(
    'TRANSFER_FROM_ACCOUNT',
    'Account',
    'MATCH (subject:Customer)-[:OWNS]->(resource:Account) WHERE resource.property.closed = false',
  ),
  VIEW_INVOICE: policy('VIEW_INVOICE', 'Invoice', 'MATCH (subject:Customer)<-[:BILLED_TO]-(resource:Invoice)'),
  VIEW_CUSTOMER_PROFILE: policy(
    'VIEW_CUSTOMER_PROFILE',
    'Customer',
    'MATCH (subject:Customer), (resource:Customer) WHERE subject.external_id = resource.external_id',
  ),
}
