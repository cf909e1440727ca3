import { compose, type ComposeOptions, type Composition } from '../../src/compose/compose.io.ts'
import { readSettings } from '../../src/config.io.ts'
import { tenantId } from '../../src/core/ids.ts'
import type { Login } from '../../src/core/login.ts'

/** The product's own graph, with settings of the test in place of the machine's. */
export const composed = (
  options: Partial<ComposeOptions>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Composition> =>
  compose({
    settings: readSettings(settings),
    banks: ['canbank'],
    audit: 'unrecorded',
    certificates: 'off',
    ...options,
  })

/** A customer of the embedded issuer of a bank. */
export async function signedIn(graph: Composition, bank: string, customer: string): Promise<Login> {
  const login = await graph.signIn(tenantId(bank), customer)
  if (!login.ok) throw new Error(`${customer} of ${bank}: ${login.reason}`)
  return login.value
}
