import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CredentialsMethod, OpenFgaClient, type AuthorizationModel, type TupleKey } from '@openfga/sdk'
import syntax from '@openfga/syntax-transformer'
import type { BankData } from '../src/canbank/bank.ts'
import { ROOT } from './run-script.ts'

export interface FgaServer {
  readonly url: string
  readonly token?: string | undefined
}

/** A bank in a store of its own. */
export interface FgaStore {
  readonly tenant: string
  readonly storeId: string
  readonly modelId: string
  readonly written: number
  readonly removed: number
}

/** The relations of a bank's customers, accounts and invoices. */
export const bankTuples = ({ customers, accounts, invoices }: BankData): readonly TupleKey[] => [
  ...customers.map(({ id }) => tuple(`Customer:${id}`, '_identity', `Customer:${id}`)),
  ...accounts.flatMap(({ id, owners, closed }) => [
    ...owners.map((owner) => tuple(`Customer:${owner}`, '_owner', `Account:${id}`)),
    ...(closed ? [] : [tuple('Customer:*', '_open', `Account:${id}`)]),
  ]),
  ...invoices.map(({ id, customer }) => tuple(`Customer:${customer}`, '_customer', `Invoice:${id}`)),
]

const tuple = (user: string, relation: string, object: string): TupleKey => ({ user, relation, object })

/** pdp/openfga/model.fga in the form that the server takes. @throws when it is not valid. */
export function bankModel(file = join(ROOT, 'pdp/openfga/model.fga')): Omit<AuthorizationModel, 'id'> {
  const text = readFileSync(file, 'utf8')
  syntax.validator.validateDSL(text)
  return syntax.transformer.transformDSLToJSONObject(text)
}

/** A client of the server; of one store once `storeId` is given. */
export const fgaClient = ({ url, token }: FgaServer, storeId?: string): OpenFgaClient =>
  new OpenFgaClient({
    apiUrl: url,
    ...(storeId === undefined ? {} : { storeId }),
    ...(token === undefined ? {} : { credentials: { method: CredentialsMethod.ApiToken, config: { token } } }),
  })

/**
 * Makes the store `intent-gate <tenant>` hold exactly this bank: the store and the model are made when they are missing
 * or differ, tuples are written and removed. Running it again changes nothing.
 */
export async function setUpBank(server: FgaServer, bank: BankData): Promise<FgaStore> {
  const name = `intent-gate ${bank.tenant}`
  const storeId = (await storeNamed(server, name)) ?? (await fgaClient(server).createStore({ name })).id
  const client = fgaClient(server, storeId)
  const modelId = await modelIn(client)
  const change = await syncTuples(client, bankTuples(bank))
  return { tenant: bank.tenant, storeId, modelId, ...change }
}

const after = (continuationToken: string | undefined) => (continuationToken === undefined ? {} : { continuationToken })

/** The oldest store of that name, the one that every earlier run has used. */
async function storeNamed(server: FgaServer, name: string): Promise<string | undefined> {
  const client = fgaClient(server)
  const found: { readonly id: string; readonly created_at: string }[] = []
  let token: string | undefined
  do {
    const page = await client.listStores({ pageSize: 100, ...after(token) })
    found.push(...page.stores.filter((store) => store.name === name))
    token = page.continuation_token
  } while (token !== '')
  return found.sort((one, other) => one.created_at.localeCompare(other.created_at))[0]?.id
}

async function modelIn(client: OpenFgaClient): Promise<string> {
  const wanted = bankModel()
  const { authorization_model: latest } = await client.readLatestAuthorizationModel()
  if (latest !== undefined && spelled(latest) === spelled(wanted)) return latest.id
  return (await client.writeAuthorizationModel(wanted)).authorization_model_id
}

// The server gives the relations of a type back in alphabetical order.
const spelled = (model: Omit<AuthorizationModel, 'id'>): string =>
  syntax.transformer
    .transformJSONToDSL(model)
    .split(/\n(?=type )/)
    .map((type) =>
      type
        .split('\n')
        .filter((line) => line !== '')
        .sort()
        .join('\n'),
    )
    .join('\n')

async function syncTuples(client: OpenFgaClient, wanted: readonly TupleKey[]) {
  const there = await allTuples(client)
  const writes = without(wanted, there)
  const deletes = without(there, wanted)
  if (writes.length + deletes.length > 0) {
    await client.write({ writes, deletes }, { transaction: { disable: true, maxPerChunk: 50 } })
  }
  return { written: writes.length, removed: deletes.length }
}

async function allTuples(client: OpenFgaClient): Promise<readonly TupleKey[]> {
  const tuples: TupleKey[] = []
  let token: string | undefined
  do {
    const page = await client.read({}, { pageSize: 100, ...after(token) })
    tuples.push(...page.tuples.map(({ key: { user, relation, object } }) => tuple(user, relation, object)))
    token = page.continuation_token
  } while (token !== '')
  return tuples
}

function without(tuples: readonly TupleKey[], others: readonly TupleKey[]): TupleKey[] {
  const known = new Set(others.map(keyOf))
  return tuples.filter((each) => !known.has(keyOf(each)))
}

const keyOf = ({ user, relation, object }: TupleKey): string => `${user} ${relation} ${object}`

/** What to set so that the gate asks these stores; the first bank's names have no suffix. */
export function fgaSettings({ url, token }: FgaServer, stores: readonly FgaStore[]): Readonly<Record<string, string>> {
  const settings: Record<string, string> = { PDP_KIND: 'openfga', OPENFGA_API_URL: url }
  if (token !== undefined) settings['OPENFGA_API_TOKEN'] = token
  for (const [index, { tenant, storeId, modelId }] of stores.entries()) {
    const suffix = index === 0 ? '' : `__${tenant.toUpperCase()}`
    settings[`OPENFGA_STORE_ID${suffix}`] = storeId
    settings[`OPENFGA_AUTHORIZATION_MODEL_ID${suffix}`] = modelId
  }
  return settings
}
