import type { BankData } from '../src/canbank/bank.ts'
import type { KbacPolicy } from './policies.ts'

interface PropertySchema {
  readonly count: number
  readonly types: readonly { readonly type: string; readonly count: number }[]
}

interface NodeSchema {
  readonly metadata: {
    readonly node_count: number
    readonly properties: Readonly<Record<string, PropertySchema>>
    readonly system_labels: readonly string[]
    readonly user_defined_labels: readonly { readonly name: string; readonly count: number }[]
  }
}

interface EdgeSchema {
  readonly source: string
  readonly target: string
  readonly relation: string
  readonly directed: true
  readonly metadata: { readonly count: number; readonly properties: Readonly<Record<string, PropertySchema>> }
}

/** IndyKite's data schema of a project, in JSON Graph Format 2: which types, properties and relations there are. */
export interface DataSchema {
  readonly graph: {
    readonly directed: true
    readonly metadata: { readonly created_at: string; readonly updated_at: string }
    readonly nodes: Readonly<Record<string, NodeSchema>>
    readonly edges: readonly EdgeSchema[]
  }
}

const MADE_AT = '2026-01-01T00:00:00Z'

/**
 * The schema of one bank's graph.
 * @param more policies of an app's own tools; their types are added without nodes.
 */
export function bankSchema({ customers, accounts, invoices }: BankData, more: readonly KbacPolicy[] = []): DataSchema {
  const owned = accounts.reduce((count, { owners }) => count + owners.length, 0)
  const added = more
    .flatMap(({ subject, resource }) => [subject.type, resource.type])
    .map((type) => [type, node(0, {})])
  return {
    graph: {
      directed: true,
      metadata: { created_at: MADE_AT, updated_at: MADE_AT },
      nodes: {
        ...(Object.fromEntries(added) as Record<string, NodeSchema>),
        Customer: node(customers.length, { external_id: 'string', name: 'string', address: 'string', phone: 'string' }),
        Account: node(accounts.length, { external_id: 'string', currency: 'string', closed: 'boolean' }),
        Invoice: node(invoices.length, { external_id: 'string', due: 'string' }),
      },
      edges: [edge('Customer', 'OWNS', 'Account', owned), edge('Invoice', 'BILLED_TO', 'Customer', invoices.length)],
    },
  }
}

const node = (count: number, properties: Readonly<Record<string, string>>): NodeSchema => ({
  metadata: {
    node_count: count,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, type]) => [name, { count, types: [{ type, count }] }]),
    ),
    system_labels: [],
    user_defined_labels: [],
  },
})

const edge = (source: string, relation: string, target: string, count: number): EdgeSchema => ({
  source,
  target,
  relation,
  directed: true,
  metadata: { count, properties: {} },
})
