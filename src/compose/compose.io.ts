import { ungated } from '../../adapters/hosts/ungated.ts'
import { startBankStandins, type BankStandins } from '../../standins/all.ts'
import { furtherForms } from '../../standins/extract.ts'
import { AUDIENCE } from '../../standins/issuer.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { openAuditFile, type AuditFile } from '../audit/jsonl.io.ts'
import type { BankData } from '../canbank/bank.ts'
import { BANKS } from '../canbank/banks.ts'
import { subjectFacts } from '../canbank/facts.ts'
import { ownRecords } from '../canbank/own-records.ts'
import { memoryLedger, openFileLedger } from '../canbank/ledger.io.ts'
import type { Ledger } from '../canbank/ledger.ts'
import { systemPrompt } from '../canbank/prompt.ts'
import { bankTools } from '../canbank/tools.ts'
import type { CertificateOptions } from '../certificates/certificates.ts'
import type { CertificateMode } from '../certificates/modes.ts'
import { openCertificates } from './certificates.io.ts'
import { intentModelOf } from './intent-model.io.ts'
import { checkTenants, openPdp } from './pdp.io.ts'
import type { Settings } from '../config.io.ts'
import { tenantId, type TenantId } from '../core/ids.ts'
import type { Evaluation } from '../core/authzen.ts'
import type { Login } from '../core/login.ts'
import type { ResourceArgument } from '../core/tool.ts'
import type { Deadline } from '../core/world.ts'
import { SettingError } from '../core/setting-error.ts'
import { refuse, type Verdict } from '../core/verdict.ts'
import { assembleGate } from '../gate/create-gate.ts'
import type { Report } from '../gate/fail-closed.ts'
import type { Gate } from '../gate/gate.ts'
import type { ToolServices } from '../gate/judge.ts'
import type { AgentSource } from '../intent/agent-source.ts'
import { agentSource } from '../intent/a2a.ts'
import { definitionSource } from '../intent/definition-source.ts'
import type { IntentSource } from '../intent/intent-source.ts'
import { remembering } from '../intent/remembering.ts'
import { createIntrospection } from '../login/introspect.ts'
import { createIssuer, type Issuer } from '../login/issuer.ts'
import { createWorld, urlProblem, type OpenWorld } from '../world.io.ts'

/** The demo banks. */
export const BANK_NAMES: readonly string[] = Object.keys(BANKS)

/** Which banks to put behind a gate, and what is recorded. */
export interface ComposeOptions {
  readonly settings: Settings
  /** Names of the demo banks that this process serves. */
  readonly banks: readonly string[]
  /** The audit file. `unrecorded` keeps no record: for decisions that nothing acts on, and without the gate. */
  readonly audit: { readonly file: string } | 'unrecorded'
  /** How intent certificates bound what the calls may do; `off` lets identity alone decide. */
  readonly certificates: CertificateMode
  /** Replaces a bank's own data, for scenarios and tests. */
  readonly data?: (bank: BankData) => BankData
  /** Hears the certificates of each message, for measuring. @defaultValue nobody */
  readonly issued?: CertificateOptions['issued']
  /** Put around the intent-agent, such as a recorder. @defaultValue nothing */
  readonly aroundAgent?: ((agent: AgentSource) => AgentSource) | undefined
  /** Keeps the first bank's books in this file. @defaultValue books in memory, gone with the process */
  readonly ledgerFile?: string | undefined
  /** Hears of breakage. @defaultValue nobody */
  readonly report?: Report
  /** Gives up every protection: all custom tool calls run undecided. Only for showing what the gate stops. */
  readonly withoutGate?: boolean
}

/** A bank as this process serves it. */
interface ServedBank {
  readonly data: BankData
  readonly ledger: Ledger
  readonly issuer: Issuer
  /** What a model is told about its job for this customer of the bank. */
  readonly prompt: (login: Login) => string
  /** Which of the caller's own records the PDP permits this tool for, as `argument=id`; asked afresh, nothing runs. */
  readonly permittedRecords: (login: Login, tool: string) => Promise<readonly string[]>
}

/** The open graph. Whoever opened it closes it; no call is permitted after that. */
export interface Composition {
  readonly gate: Gate
  readonly world: OpenWorld
  readonly banks: ReadonlyMap<TenantId, ServedBank>
  /** The first bank's tenant. */
  readonly tenant: TenantId
  /** Signs a customer of a served bank in at the embedded issuer. */
  signIn(tenant: TenantId, customer: string): Promise<Verdict<Login>>
  readonly audit?: AuditFile
  close(): Promise<void>
}

interface OpenBank extends ServedBank {
  readonly services: ToolServices
  readonly standins: BankStandins
}

/**
 * Builds the whole graph from settings: the one place that knows every room.
 * @throws SettingError for an unknown bank or a setting that a part refuses; nothing is left running then.
 */
export async function compose(options: ComposeOptions): Promise<Composition> {
  const known = options.banks.map(bankNamed)
  checkUrls(options.settings)
  checkTenants(options.settings, BANK_NAMES, options.banks)
  const world = createWorld({ allowPlainHttp: options.settings.ALLOW_PLAIN_HTTP })
  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    // First the network, so that calls under way end now; the audit, opened first, closes last and has their decisions.
    await world.close()
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    const audit = options.audit === 'unrecorded' ? undefined : await openAuditFile(options.audit.file)
    if (audit !== undefined) closers.push(() => audit.close())
    const open = await Promise.all(
      known.map((bank, index) =>
        openBank(bank, index === 0 ? options : { ...options, ledgerFile: undefined }, world, closers),
      ),
    )
    const banks = new Map(open.map((bank): [TenantId, OpenBank] => [tenantId(bank.data.tenant), bank]))
    const [first] = banks.keys()
    if (first === undefined) throw new SettingError('--bank', 'names no bank', 'Name canbank or fjordbank')
    return {
      gate: options.withoutGate === true ? withoutGate(banks, world) : gateOver(banks, options, world, audit),
      world,
      banks,
      tenant: first,
      signIn: (tenant, customer) =>
        banks.get(tenant)?.issuer.signInDemo(customer) ??
        Promise.resolve(refuse('login.tenant_unknown', 'not a tenant of this process')),
      ...(audit === undefined ? {} : { audit }),
      close,
    }
  } catch (cause) {
    await close()
    throw cause
  }
}

function gateOver(
  banks: ReadonlyMap<TenantId, OpenBank>,
  { settings, report = ignore }: ComposeOptions,
  world: OpenWorld,
  audit: AuditLog | undefined,
): Gate {
  const tenants = new Map([...banks].map(([tenant, { services }]) => [tenant, services]))
  return assembleGate({ world, tenants, deadlineMs: settings.GATE_DEADLINE_MS, audit: audit ?? unrecorded, report })
}

function withoutGate(banks: ReadonlyMap<TenantId, OpenBank>, world: OpenWorld): Gate {
  const [bank, ...others] = banks.values()
  if (bank === undefined || others.length > 0) throw new SettingError('--no-gate', 'serves one bank', 'Name one bank')
  return ungated([...bank.services.tools.values()], world)
}

/** A URL that nothing would ever be sent to is a wrong setting, not an outage. */
function checkUrls(settings: Settings): void {
  for (const name of ['INTENT_AGENT_URL', 'OIDC_ISSUER', 'MODEL_BASE_URL'] as const) {
    const url = settings[name]
    const problem = url === undefined ? undefined : urlProblem(new URL(url), settings.ALLOW_PLAIN_HTTP)
    if (problem !== undefined) {
      throw new SettingError(name, problem, 'Use https without credentials, or name the host in ALLOW_PLAIN_HTTP')
    }
  }
}

/**
 * A demo bank. Looked up before anything is opened, so that a wrong name leaves nothing behind.
 * @throws SettingError for another name.
 */
export function bankNamed(name: string): BankData {
  const known = Object.entries(BANKS).find(([tenant]) => tenant === name)?.[1]
  if (known !== undefined) return known
  throw new SettingError('--bank', `"${name}" is not a bank`, `Use ${BANK_NAMES.join(' or ')}`)
}

async function openBank(
  known: BankData,
  options: ComposeOptions,
  world: OpenWorld,
  closers: (() => Promise<void>)[],
): Promise<OpenBank> {
  const { settings, data } = options
  const bank = data === undefined ? known : data(known)
  const ledger = options.ledgerFile === undefined ? memoryLedger(bank) : await openFileLedger(options.ledgerFile, bank)
  closers.push(() => Promise.resolve(ledger.close()))
  const tools = new Map(bankTools(ledger).map((tool) => [tool.name, tool]))
  const model = settings.INTENT_AGENT_URL === undefined ? intentModelOf(settings) : undefined
  const standins = await startBankStandins({
    bank,
    model,
    clientKey: settings.AUTHZEN_PDP_CLIENT_KEY,
    forms: furtherForms([...tools.values()]),
  })
  closers.push(() => standins.close())
  const pdp = await openPdp({ bank, tools: tools.values(), settings, standinUrl: standins.indykiteUrl }, world)
  const intents = intentsFor(settings, standins.agentUrl, world, options.aroundAgent)
  const prompt = ({ subject }: Login): string => `${systemPrompt(bank.name)}
The signed-in customer is ${subject.id}.`
  const issuer = issuerFor(settings, bank, standins.issuerUrl, world)
  const certificates = certificatesFor(bank, options, world)
  const services = { issuer: settings.OIDC_ISSUER ?? standins.issuerUrl, tools, certificates, intents, pdp }
  const permittedRecords = (login: Login, tool: string): Promise<readonly string[]> =>
    permittedOf(bank, services, login, tool, world.deadline(settings.GATE_DEADLINE_MS))
  return { data: bank, ledger, issuer, prompt, permittedRecords, services, standins }
}

function certificatesFor(
  bank: BankData,
  { certificates: mode, issued }: ComposeOptions,
  world: OpenWorld,
): ToolServices['certificates'] {
  if (mode === 'off') return 'off'
  const today = (): string => world.now().toISOString().slice(0, 10)
  return openCertificates({ mode, issued, facts: ({ subject }) => subjectFacts(bank, subject.id, today()) }, world)
}

function intentsFor(
  settings: Settings,
  standinUrl: string,
  world: OpenWorld,
  around: ComposeOptions['aroundAgent'] = (agent) => agent,
): IntentSource {
  if (settings.INTENT_SOURCE === 'definition') return definitionSource()
  const url = new URL(settings.INTENT_AGENT_URL ?? standinUrl)
  const { INTENT_AGENT_TIMEOUT_MS: timeoutMs } = settings
  // For the agent that the setting names, and nobody else.
  const token = settings.INTENT_AGENT_URL === undefined ? undefined : settings.INTENT_AGENT_TOKEN
  const agent = around(agentSource(token === undefined ? { url, timeoutMs, world } : { url, timeoutMs, world, token }))
  return settings.INTENT_MEMORY === 'exact' ? remembering(agent, world) : agent
}

function issuerFor(settings: Settings, bank: BankData, standinUrl: string, world: OpenWorld): Issuer {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience = AUDIENCE } = settings
  const who = { subjectType: 'Customer', tenants: new Set([tenantId(bank.tenant)]) }
  if (issuer === undefined) return createIssuer({ ...who, issuer: standinUrl, audience: AUDIENCE }, world)
  const { OIDC_SUBJECT_CLAIM: subjectClaim, OIDC_TENANT_CLAIM: tenantClaim } = settings
  const policy = { ...who, issuer, audience, subjectClaim, tenantClaim }
  if (settings.OIDC_TOKEN_CHECK === 'jwt') return createIssuer(policy, world)
  const { INTROSPECT_URL: url = '', INTROSPECT_CLIENT_ID = '', INTROSPECT_CLIENT_SECRET = '' } = settings
  const client = { clientId: INTROSPECT_CLIENT_ID, clientSecret: INTROSPECT_CLIENT_SECRET }
  return createIssuer(policy, world, createIntrospection({ url, ...client, policy }, world))
}

const unrecorded: AuditLog = { append: () => Promise.resolve() }

const ignore: Report = () => undefined

async function permittedOf(
  bank: BankData,
  { tools, pdp }: ToolServices,
  login: Login,
  tool: string,
  deadline: Deadline,
): Promise<readonly string[]> {
  const resource = tools.get(tool)?.resources[0]
  const ids = resource === undefined ? [] : ownRecords(bank, login.subject.id, resource.type)
  const [first, ...rest] = ids.map((id) => evaluationOf(login, resource, id))
  try {
    const decided =
      first === undefined ? undefined : await pdp.decide({ evaluations: [first, ...rest], login }, deadline.signal)
    if (decided?.ok !== true) return []
    return ids.filter((_, index) => decided.value[index] === true).map((id) => `${resource?.argument ?? ''}=${id}`)
  } finally {
    deadline.clear()
  }
}

const evaluationOf = (login: Login, resource: ResourceArgument | undefined, id: string): Evaluation => ({
  subject: login.subject,
  action: { name: resource?.actions[0] ?? '' },
  resource: { type: resource?.type ?? '', id },
})
