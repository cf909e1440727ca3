import { describe, expect, it, onTestFinished } from 'vitest'
import { sessionId, toolCallId } from '../../src/core/ids.ts'
import { startModel } from '../../standins/model-server.ts'
import { type Brain, contentText, type ModelAnswer } from '../../standins/model-wire.ts'
import { composed, signedIn } from '../e2e/graph.ts'
import { started } from './support.ts'

const wants = (action: string, resource_type: string, resource_id: string): ModelAnswer => ({
  text: JSON.stringify({ evaluations: [{ action, resource_type, resource_id }], refused: false, reason: null }),
})

/** The whole gate for one call of bob; the intent-agent's model is the given one. */
async function judged(brain: Brain, tool: string, args: unknown) {
  const model = await started(startModel({ brain }))
  const composition = await composed({}, { INTENT_MODEL_BASE_URL: model.url, INTENT_MODEL_NAME: 'm-1' })
  onTestFinished(() => composition.close())
  const login = await signedIn(composition, 'canbank', 'bob')
  const session = sessionId('s-1')
  composition.gate.beginTurn(session, 1)
  const call = { id: toolCallId('c-1'), session, turn: 1, login, kind: 'custom-tool' as const, tool, args }
  const { decision, evaluations = [] } = await composition.gate.judge(call)
  return { kind: decision.kind, code: decision.kind === 'permit' ? null : decision.reason, evaluations }
}

const TRANSFER = { from_account: 'acc-bob-checking', to_account: 'acc-alice-checking', amount: '5.00', currency: 'NOK' }

describe('the gate with a model behind its intent-agent', () => {
  it.each([
    {
      title: "permits bob's own account that the model reads rightly",
      brain: () => wants('VIEW_ACCOUNT_BALANCE', 'Account', 'acc-bob-checking'),
      tool: 'get_account_balance',
      args: { account_id: 'acc-bob-checking' },
      outcome: { kind: 'permit', code: null },
    },
    {
      title: "refuses when the model obeys somebody and answers alice's account to a sentence that does not name it",
      brain: () => wants('VIEW_ACCOUNT_BALANCE', 'Account', 'acc-alice-savings'),
      tool: 'get_account_balance',
      args: { account_id: 'acc-bob-checking' },
      outcome: { kind: 'deny', code: 'intent.refused' },
    },
    {
      title: "has the PDP deny alice's account when bob's own sentence names it",
      brain: () => wants('VIEW_ACCOUNT_BALANCE', 'Account', 'acc-alice-savings'),
      tool: 'get_account_balance',
      args: { account_id: 'acc-alice-savings' },
      outcome: {
        kind: 'deny',
        code: 'pdp.denied',
        evaluations: [
          { subject: { type: 'Customer', id: 'bob' }, resource: { type: 'Account', id: 'acc-alice-savings' } },
        ],
      },
    },
    {
      title: 'finds the gap when the model names the destination in place of the account that pays',
      brain: () => wants('TRANSFER_FROM_ACCOUNT', 'Account', 'acc-alice-checking'),
      tool: 'transfer_money',
      args: TRANSFER,
      outcome: { kind: 'deny', code: 'coverage.resource_missing' },
    },
    {
      title: 'finds the gap when the model reads a transfer as a view',
      brain: () => wants('VIEW_ACCOUNT_BALANCE', 'Account', 'acc-bob-checking'),
      tool: 'transfer_money',
      args: TRANSFER,
      outcome: { kind: 'deny', code: 'coverage.resource_missing' },
    },
    {
      title: 'fails closed when the model fails',
      brain: () => Promise.reject(new Error('out of memory')),
      tool: 'get_account_balance',
      args: { account_id: 'acc-bob-checking' },
      outcome: { kind: 'deny', code: 'intent.agent_failed' },
    },
  ] satisfies { title: string; brain: Brain; tool: string; args: unknown; outcome: unknown }[])(
    '$title',
    async ({ brain, tool, args, outcome }) => {
      expect(await judged(brain, tool, args)).toMatchObject(outcome)
    },
  )

  it('asks the model once for a sentence that comes again, and the PDP each time', async () => {
    let asked = 0
    const brain: Brain = ({ messages }) => {
      asked++
      const id = contentText(messages[1]?.content).split(' ').at(-1) ?? ''
      return wants('VIEW_ACCOUNT_BALANCE', 'Account', id)
    }
    const model = await started(startModel({ brain }))
    const composition = await composed({}, { INTENT_MODEL_BASE_URL: model.url, INTENT_MODEL_NAME: 'm-1' })
    onTestFinished(() => composition.close())
    const login = await signedIn(composition, 'canbank', 'bob')
    const kinds: string[] = []
    for (const n of [1, 2]) {
      const session = sessionId(`s-${n}`)
      composition.gate.beginTurn(session, 1)
      const args = { account_id: 'acc-joint' }
      const call = { id: toolCallId('c-1'), session, turn: 1, login, kind: 'custom-tool' as const, args }
      kinds.push((await composition.gate.judge({ ...call, tool: 'get_account_balance' })).decision.kind)
    }
    expect([kinds, asked]).toEqual([['permit', 'permit'], 1])
  })
})

describe('the settings of the model', () => {
  const endpoint = 'http://127.0.0.1:1/v1'
  it.each([
    { set: { INTENT_MODEL_BASE_URL: endpoint }, what: 'INTENT_MODEL_NAME' },
    { set: { INTENT_MODEL_NAME: 'm' }, what: 'INTENT_MODEL_NAME' },
    { set: { INTENT_MODEL_API_KEY: 'k' }, what: 'INTENT_MODEL_API_KEY' },
    {
      set: { INTENT_MODEL_BASE_URL: 'http://models.example/v1', INTENT_MODEL_NAME: 'm' },
      what: 'INTENT_MODEL_BASE_URL',
    },
    { set: { INTENT_MODEL_BASE_URL: 'ftp://models.example', INTENT_MODEL_NAME: 'm' }, what: 'INTENT_MODEL_BASE_URL' },
    { set: { VALIDATION_MAX_RETRIES: 'many' }, what: 'VALIDATION_MAX_RETRIES' },
    { set: { VALIDATION_MAX_RETRIES: '-1' }, what: 'VALIDATION_MAX_RETRIES' },
  ])('$set stop the start and name $what', async ({ set, what }) => {
    await expect(Promise.resolve().then(() => composed({}, set as Record<string, string>))).rejects.toMatchObject({
      name: 'SettingError',
      what,
    })
  })

  it('count for nothing when INTENT_AGENT_URL names another agent', async () => {
    const settings = { INTENT_AGENT_URL: endpoint, INTENT_MODEL_BASE_URL: endpoint }
    await started(composed({}, settings))
  })
})
