import { compose, type Composition } from '../src/compose/compose.io.ts'
import { readSettings } from '../src/config.io.ts'
import type { Login } from '../src/core/login.ts'

/** The product's own graph over its stand-ins, with Bob signed in. */
export interface Graph {
  readonly composition: Composition
  readonly login: Login
  readonly prompt: string
}

/** @param memory the setting `INTENT_MEMORY`: whether the intent-agent is asked again for the identical sentence. */
export async function openGraph(audit: string, memory: 'off' | 'exact'): Promise<Graph> {
  const settings = readSettings({ INTENT_MEMORY: memory })
  const composition = await compose({ settings, banks: ['canbank'], audit: { file: audit }, certificates: 'off' })
  const login = await composition.signIn(composition.tenant, 'bob')
  if (!login.ok) throw new Error(login.detail)
  const prompt = composition.banks.get(composition.tenant)?.prompt(login.value) ?? ''
  return { composition, login: login.value, prompt }
}
