import type { BankData } from '../src/canbank/bank.ts'
import { BANK_ACTIONS, BANK_POLICIES, type KbacPolicy } from '../standins/policies.ts'

interface IndykiteNode {
  readonly external_id: string
  readonly type: string
  /** True for whoever may be a subject: policies of version 2.0 match no other node. */
  readonly is_identity?: true
  readonly properties?: readonly { readonly type: string; readonly value: string | boolean }[]
}

type Reference = Pick<IndykiteNode, 'external_id' | 'type'>

interface IndykiteRelationship {
  readonly source: Reference
  readonly target: Reference
  readonly type: string
}

/** What a bank is in IndyKite: its part of the graph, and who may do what there. */
export interface IndykiteBank {
  readonly nodes: readonly IndykiteNode[]
  readonly relationships: readonly IndykiteRelationship[]
  readonly policies: readonly { readonly name: string; readonly policy: KbacPolicy }[]
}

/** Ids, owners and what is closed: the policies look at nothing else, so nothing else is sent. */
export const indykiteBank = ({ customers, accounts, invoices }: BankData): IndykiteBank => ({
  nodes: [
    ...customers.map(({ id }) => ({ ...node('Customer', id), is_identity: true as const })),
    ...accounts.map(({ id, closed }) => ({ ...node('Account', id), properties: [{ type: 'closed', value: closed }] })),
    ...invoices.map(({ id }) => node('Invoice', id)),
  ],
  relationships: [
    ...accounts.flatMap(({ id, owners }) =>
      owners.map((owner) => ({ source: node('Customer', owner), target: node('Account', id), type: 'OWNS' })),
    ),
    ...invoices.map(({ id, customer }) => ({
      source: node('Invoice', id),
      target: node('Customer', customer),
      type: 'BILLED_TO',
    })),
  ],
  policies: BANK_ACTIONS.map((action) => ({
    name: `intent-gate-${action.toLowerCase().replaceAll('_', '-')}`,
    policy: BANK_POLICIES[action],
  })),
})

const node = (type: string, id: string): Reference => ({ external_id: id, type })

/** One POST, with the kind of credential that it needs. */
export interface IndykitePost {
  readonly path: string
  readonly credential: 'client key' | 'service account'
  readonly body: object
}

/** The POSTs that put a bank there, in order: nodes before what connects them. */
export const indykitePosts = (
  { nodes, relationships, policies }: IndykiteBank,
  projectId: string,
): readonly IndykitePost[] => [
  { path: '/capture/v1/nodes', credential: 'client key', body: { nodes } },
  { path: '/capture/v1/relationships', credential: 'client key', body: { relationships } },
  ...policies.map(({ name, policy }) => ({
    path: '/configs/v1/authorization-policies',
    credential: 'service account' as const,
    // The configuration API takes the policy as text.
    body: { name, project_id: projectId, policy: JSON.stringify(policy), status: 'ACTIVE', tags: [] },
  })),
]
