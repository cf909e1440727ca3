import { randomBytes } from 'node:crypto'
import { ungated } from '../../adapters/hosts/ungated.ts'
import { AUDIENCE, startIssuer } from '../../standins/issuer.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { openAuditFile } from '../audit/jsonl.io.ts'
import { createCertificates } from '../certificates/create-certificates.ts'
import { grammarDeriver } from '../certificates/grammar/grammar-deriver.ts'
import { tenantId, type TenantId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import type { ToolDefinition } from '../core/tool.ts'
import { pass, type Verdict } from '../core/verdict.ts'
import { domainFacts, domainRules } from '../domain/access.ts'
import type { Domain } from '../domain/schema.ts'
import { recordStore, type Change, type RecordStore } from '../domain/store.ts'
import { domainTools } from '../domain/tools.ts'
import { assembleGate } from '../gate/create-gate.ts'
import type { Gate } from '../gate/gate.ts'
import type { ToolServices } from '../gate/judge.ts'
import { definitionSource } from '../intent/definition-source.ts'
import { createIssuer } from '../login/issuer.ts'
import type { Pdp } from '../pdp/pdp.ts'
import type { Part } from '../runner/scenario.ts'
import type { OpenWorld } from '../world.io.ts'
import { compose, type ComposeOptions } from './compose.io.ts'

/** Where one run takes place: a gate, and the books or records behind its tools. */
export interface Stage {
  readonly gate: Gate
  signIn(customer: string): Promise<Verdict<Login>>
  prompt(login: Login): string
  /** Minor units by account, as they are now; empty in a domain of records. */
  books(): Readonly<Record<string, number>>
  /** Every change of a record so far; undefined in a bank. */
  changes(): readonly Change[] | undefined
  close(): Promise<void>
}

/** A demo bank as a stage. */
export async function bankStage(options: ComposeOptions): Promise<Stage> {
  const graph = await compose(options)
  const bank = graph.banks.get(graph.tenant)
  return {
    gate: graph.gate,
    signIn: (customer) => graph.signIn(graph.tenant, customer),
    prompt: (login) => bank?.prompt(login) ?? '',
    books: () => {
      if (bank === undefined) throw new Error('the books of the bank are not open')
      return bank.ledger.snapshot()
    },
    changes: () => undefined,
    close: () => graph.close(),
  }
}

/** A domain that is data, and the file that it was read from. */
export interface DomainFile {
  readonly domain: Domain
  readonly file: string
}

export interface DomainStageOptions extends Pick<ComposeOptions, 'certificates' | 'issued' | 'audit' | 'report'> {
  readonly withoutGate: boolean
  readonly broken: readonly Part[]
  readonly deadlineMs: number
}

/** A domain as a stage: its records, its rules and a gate of its own, made anew. */
export async function domainStage(
  { domain, file }: DomainFile,
  options: DomainStageOptions,
  world: OpenWorld,
): Promise<Stage> {
  const store = recordStore(domain.records)
  const tools = domainTools(domain, store, file)
  const tenant = tenantId(domain.name)
  const idp = await startIssuer({ bank: { tenant: domain.name, customers: domain.customers.map((id) => ({ id })) } })
  const who = { subjectType: 'Customer', tenants: new Set([tenant]) }
  const issuer = createIssuer({ issuer: idp.url, audience: AUDIENCE, ...who }, world)
  const audit = options.audit === 'unrecorded' ? undefined : await openAuditFile(options.audit.file)
  const services = servicesOf(domain, store, tools, options, world)
  return {
    gate: options.withoutGate
      ? ungated(tools, world)
      : gateOver(tenant, { ...services, issuer: idp.url }, options, audit, world),
    signIn: (customer) => issuer.signInDemo(customer),
    prompt: ({ subject }) => `${domain.prompt}\nThe signed-in customer is ${subject.id}.`,
    books: () => ({}),
    changes: () => store.changes(),
    close: async () => {
      await audit?.close()
      await idp.close()
    },
  }
}

const unrecorded: AuditLog = { append: () => Promise.resolve() }

function gateOver(
  tenant: TenantId,
  services: ToolServices,
  { deadlineMs, report = () => undefined }: DomainStageOptions,
  audit: AuditLog | undefined,
  world: OpenWorld,
): Gate {
  return assembleGate({ world, tenants: new Map([[tenant, services]]), deadlineMs, audit: audit ?? unrecorded, report })
}

function servicesOf(
  domain: Domain,
  store: RecordStore,
  tools: readonly ToolDefinition[],
  { certificates: mode, issued, broken }: DomainStageOptions,
  { now, newId }: OpenWorld,
): Omit<ToolServices, 'issuer'> {
  const facts = ({ subject }: Login) => {
    if (broken.includes('customer-data')) throw new Error("the customer's own data cannot be read")
    return domainFacts(domain, store, subject.id, now().toISOString().slice(0, 10))
  }
  const key = randomBytes(32).toString('hex')
  return {
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    certificates:
      mode === 'off' ? 'off' : createCertificates({ mode, facts, issued, deriver: grammarDeriver, key, now, newId }),
    intents: definitionSource(),
    pdp: broken.includes('pdp') ? DOWN : rulesOf(domain, store),
  }
}

function rulesOf(domain: Domain, store: RecordStore): Pdp {
  const permits = domainRules(domain, store)
  return { decide: ({ evaluations }) => Promise.resolve(pass(evaluations.map((each) => permits(each)))) }
}

const DOWN: Pdp = { decide: () => Promise.reject(new Error('the rules of the domain are down')) }
