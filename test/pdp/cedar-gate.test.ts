import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { sessionId, tenantId, toolCallId } from '../../src/core/ids.ts'
import { composed, signedIn } from '../e2e/graph.ts'

const CEDAR = { PDP_KIND: 'cedar', INTENT_SOURCE: 'definition' }
const folder = mkdtempSync(join(tmpdir(), 'cedar-gate-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

async function gate(settings: Readonly<Record<string, string>>, bank: string) {
  const graph = await composed({ banks: [bank] }, settings)
  onTestFinished(() => graph.close())
  const login = await signedIn(graph, bank, 'bob')
  const session = sessionId('s1')
  let turn = 0
  return async (account: string) => {
    graph.gate.beginTurn(session, ++turn)
    const args = { account_id: account }
    const call = { session, turn, login, kind: 'custom-tool', tool: 'get_account_balance', args } as const
    const { decision } = await graph.gate.authorize({ ...call, id: toolCallId(`c${turn}`) })
    graph.gate.endTurn(session, turn)
    return decision.kind === 'permit' ? 'permit' : decision.reason
  }
}

describe('a gate with Cedar in process and the tools as the source of evaluations', () => {
  it('needs no service to decide, for each bank by its own facts', async () => {
    const canbank = await gate(CEDAR, 'canbank')
    expect(await canbank('acc-joint')).toBe('permit')
    expect(await canbank('acc-alice-savings')).toBe('pdp.denied')
    expect(await canbank('acc-nobody')).toBe('pdp.denied')
    const fjordbank = await gate(CEDAR, 'fjordbank')
    expect(await fjordbank('acc-joint')).toBe('pdp.denied')
    expect(await fjordbank('acc-alice-savings')).toBe('permit')
  })

  it('decides by the files that are set, and a policy that fails there denies as a fault', async () => {
    const policies = file(
      'p.cedar',
      'permit(principal, action, resource); forbid(principal, action == Action::"VIEW_ACCOUNT_BALANCE", resource) when { resource.closed };',
    )
    const ask = await gate({ ...CEDAR, CEDAR_POLICIES_FILE: policies }, 'canbank')
    expect(await ask('acc-alice-savings')).toBe('permit')
    expect(await ask('acc-bob-closed')).toBe('pdp.denied')
    expect(await ask('acc-nobody')).toBe('pdp.error')
  })

  it.each([
    {
      what: 'a policy that does not validate',
      set: { CEDAR_POLICIES_FILE: file('bad.cedar', 'permit(principal, action == Action::"X", resource);') },
      names: 'CEDAR_POLICIES_FILE',
    },
    {
      what: 'a schema that does not parse',
      set: { CEDAR_SCHEMA_FILE: file('bad.cedarschema', 'entity') },
      names: 'CEDAR_SCHEMA_FILE',
    },
    {
      what: 'entities that do not fit',
      set: { CEDAR_ENTITIES_FILE: file('bad.json', '[{"uid":{"type":"Ghost","id":"g"}}]') },
      names: 'CEDAR_ENTITIES_FILE',
    },
    {
      what: "one bank's file that is not there",
      set: { CEDAR_POLICIES_FILE__CANBANK: join(folder, 'none') },
      names: 'CEDAR_POLICIES_FILE__CANBANK',
    },
  ])('does not start with $what', async ({ set, names }) => {
    await expect(composed({}, { ...CEDAR, ...set })).rejects.toMatchObject({ name: 'SettingError', what: names })
  })

  it("does not let two banks share one bank's facts", async () => {
    const entities = file('e.json', '[]')
    const both = { banks: ['canbank', 'fjordbank'] }
    await expect(composed(both, { ...CEDAR, CEDAR_ENTITIES_FILE: entities })).rejects.toMatchObject({
      what: 'CEDAR_ENTITIES_FILE',
    })
    const own = await composed(both, { ...CEDAR, CEDAR_ENTITIES_FILE__FJORDBANK: entities })
    onTestFinished(() => own.close())
    expect([...own.banks.keys()]).toEqual(['canbank', 'fjordbank'].map(tenantId))
  })
})
