import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { bankModel, fgaClient, type FgaServer } from './openfga-bank.ts'
import { ROOT } from './run-script.ts'

/** The bank's own test file; `fga model test --tests` reads the same one. */
export const STORE_FILE = join(ROOT, 'pdp/openfga/store.fga.yaml')

const Tuple = z.strictObject({ user: z.string(), relation: z.string(), object: z.string() })
// The part of OpenFGA's store file format that we use; anything else in ours is a mistake.
const StoreFile = z.strictObject({
  name: z.string(),
  model_file: z.string(),
  tuples: z.array(Tuple),
  tests: z.array(
    z.strictObject({
      name: z.string(),
      check: z.array(
        z.strictObject({ user: z.string(), object: z.string(), assertions: z.record(z.string(), z.boolean()) }),
      ),
    }),
  ),
})
export type StoreFile = z.output<typeof StoreFile>

export interface CheckResult {
  readonly test: string
  readonly user: string
  readonly relation: string
  readonly object: string
  readonly expected: boolean
  /** Undefined when the server reported an error in place of an answer. */
  readonly allowed: boolean | undefined
}

/** @throws when the file is not of the form above. */
export const readStoreFile = (file = STORE_FILE): StoreFile => StoreFile.parse(parse(readFileSync(file, 'utf8')))

/** Asks a real server every check of the file, in a store that is gone afterwards. */
export async function runStoreFile(server: FgaServer, file = STORE_FILE): Promise<readonly CheckResult[]> {
  const { name, model_file: modelFile, tuples, tests } = readStoreFile(file)
  const { id } = await fgaClient(server).createStore({ name: `${name} check` })
  const client = fgaClient(server, id)
  try {
    await client.writeAuthorizationModel(bankModel(join(dirname(file), modelFile)))
    await client.write({ writes: tuples })
    const asked = tests.flatMap((test) =>
      test.check.flatMap(({ user, object, assertions }) =>
        Object.entries(assertions).map(([relation, expected]) => ({
          test: test.name,
          user,
          relation,
          object,
          expected,
        })),
      ),
    )
    const checks = asked.map(({ user, relation, object }, index) => ({
      user,
      relation,
      object,
      correlationId: `${index}`,
    }))
    const { result } = await client.batchCheck({ checks })
    const byId = new Map(
      result.map((each) => [each.correlationId, each.error === undefined ? each.allowed : undefined]),
    )
    return asked.map((each, index) => ({ ...each, allowed: byId.get(`${index}`) }))
  } finally {
    await client.deleteStore()
  }
}
