import type { BankData } from '../canbank/bank.ts'
import { BANKS } from '../canbank/banks.ts'
import { ownRecords } from '../canbank/own-records.ts'
import { BANK_TOOL_FACTS } from '../canbank/tools.ts'
import { ownIds } from '../domain/access.ts'
import type { Domain } from '../domain/schema.ts'
import { scenarioError, type CallPattern, type Scenario } from '../runner/scenario.ts'

/** A scenario whose place is known: the calls that harm nobody are filled in. */
export type PlacedScenario = Scenario & { readonly harmless: readonly CallPattern[] }

/**
 * Checks what only the bank knows, and fills in the reads of the caller's own records, which harm nobody.
 * @throws SettingError that names the file, the scenario and the field.
 */
export function atItsBank(scenario: Scenario): PlacedScenario {
  const { file, id } = scenario
  const bank = Object.entries(BANKS).find(([tenant]) => tenant === scenario.bank)?.[1]
  if (bank === undefined) throw scenarioError(file, id, 'bank', `"${scenario.bank}" is not a bank`)
  const customers = bank.customers.map((customer) => customer.id)
  const tools = BANK_TOOL_FACTS.map(({ name }) => name)
  checkNames(scenario, { place: bank.tenant, customers, tools })
  checkRecords(scenario, bank)
  if (scenario.changes !== undefined || scenario.completes?.changes !== undefined) {
    throw scenarioError(file, id, 'changes', 'is for a domain of records: a bank has moves')
  }
  return { ...scenario, harmless: scenario.harmless ?? ownReads(bank, scenario.caller) }
}

function checkRecords({ file, id, data, moves }: Scenario, bank: BankData): void {
  for (const invoice of Object.keys(data.memos)) {
    if (bank.invoices.some((each) => each.id === invoice)) continue
    throw scenarioError(file, id, `data.memos.${invoice}`, `${bank.tenant} has no such invoice`)
  }
  const holdings = new Set([...bank.accounts, ...bank.externalPayees].map((each) => each.id))
  for (const [index, { from, to }] of moves.entries()) {
    const stray = [from, to].find((each) => !holdings.has(each))
    if (stray !== undefined) throw scenarioError(file, id, `moves[${index}]`, `${bank.tenant} has no "${stray}"`)
  }
}

const ownReads = (bank: BankData, caller: string): CallPattern[] =>
  BANK_TOOL_FACTS.filter(({ effect }) => effect.class === 'read').flatMap(({ name, resources: [resource] }) =>
    ownRecords(bank, caller, resource.type).map((id) => ({ name, arguments: { [resource.argument]: id } })),
  )

/**
 * The same for a scenario of a domain of records.
 * @throws SettingError that names the file, the scenario and the field.
 */
export function atItsDomain(scenario: Scenario, domain: Domain): PlacedScenario {
  const { file, id, caller } = scenario
  const { name: place, customers, tools } = domain
  if (![place, 'canbank'].includes(scenario.bank)) {
    throw scenarioError(file, id, 'bank', `"${scenario.bank}" is not the domain ${place}: leave it out`)
  }
  checkNames(scenario, { place, customers, tools: tools.map(({ name }) => name) })
  const idle: readonly (readonly [string, boolean])[] = [
    ['data.memos', Object.keys(scenario.data.memos).length > 0],
    ['moves', scenario.moves.length > 0],
    ['completes.moves', scenario.completes?.moves === true],
  ]
  const stray = idle.find(([, isSet]) => isSet)?.[0]
  if (stray !== undefined) throw scenarioError(file, id, stray, 'is for a bank: a domain has records and changes')
  if (scenario.broken.includes('intent-agent')) {
    throw scenarioError(file, id, 'broken', 'names intent-agent, and a domain asks none')
  }
  return { ...scenario, bank: place, harmless: scenario.harmless ?? ownShows(domain, caller) }
}

const ownShows = (domain: Domain, caller: string): CallPattern[] =>
  domain.tools.flatMap(({ name, does }) => {
    if (does.kind === 'list') return [{ name, arguments: {} }]
    if (does.kind !== 'show') return []
    return ownIds(domain, caller, does.type).map((id) => ({ name, arguments: { [does.id]: id } }))
  })

interface Names {
  readonly place: string
  readonly customers: readonly string[]
  readonly tools: readonly string[]
}

/** A name that nothing has would silently test something else. `calls` may name what does not exist: models do. */
function checkNames(scenario: Scenario, { place, customers, tools }: Names): void {
  const { file, id, turns, caller, injected } = scenario
  const speakers = turns.map(({ by = caller }, index) => ({ field: `turns[${index}].by`, name: by }))
  for (const { field, name } of [{ field: 'caller', name: caller }, ...speakers]) {
    if (!customers.includes(name)) throw scenarioError(file, id, field, `"${name}" is not a customer of ${place}`)
  }
  for (const { field, name } of toolNames(scenario)) {
    if (!tools.includes(name)) throw scenarioError(file, id, field, `"${name}" is not a tool of ${place}`)
  }
  const calls = turns.flatMap((turn) => turn.calls.map(({ name }) => name))
  const idle = injected.findIndex(({ name }) => calls.length > 0 && !calls.includes(name))
  if (idle !== -1) throw scenarioError(file, id, `injected[${idle}].name`, 'is the name of no call of the turns')
}

function toolNames({ authorized, harmless = [], approver, asks = [], expect }: Scenario) {
  const patterns = Object.entries({ authorized, harmless, approver }).flatMap(([field, list]) =>
    list.map(({ name }, index) => ({ field: `${field}[${index}].name`, name })),
  )
  const hidden = Object.entries(expect).flatMap(([setup, expected]) =>
    (expected?.hides ?? []).map((name, index) => ({ field: `expect.${setup}.hides[${index}]`, name })),
  )
  return [...patterns, ...asks.map((name, index) => ({ field: `asks[${index}]`, name })), ...hidden]
}
