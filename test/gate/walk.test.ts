import { expect, it } from 'vitest'
import { translate } from '../../adapters/hosts/translate.ts'
import { answerOf } from '../../adapters/hosts/answers.ts'
import { recordedOpinion } from '../../src/gate/records.ts'
import { loginOf } from '../logins.ts'
import { bankGate, call } from './bank.ts'

it('walks one call of Bob for the savings of Alice through ten steps', async () => {
  const asked = {
    kind: 'hook',
    toolName: 'get_account_balance',
    toolArgs: { account_id: 'acc-alice-savings' },
    toolCallId: 'c-1',
  }
  // 1: one translator makes the call; the caller comes from the login.
  const request = translate(asked, new Set(['get_account_balance']))
  expect(request).toMatchObject({ ok: true, value: { kind: 'custom-tool', tool: 'get_account_balance' } })
  const { gate, log } = bankGate()
  const judgement = await gate.authorize(call(await loginOf('bob'), 'get_account_balance', asked.toolArgs))
  // 2 and 3: within the deadline, and normalized.
  expect(judgement.args).toEqual({ account_id: 'acc-alice-savings' })
  // 4, 5 and 6: the firewall has no objection, and the call is said in one sentence without the caller.
  expect(judgement.sentence).toBe('View the balance of Account acc-alice-savings')
  // 7: covered, every subject is Bob.
  expect(judgement.evaluations).toEqual([
    {
      subject: { type: 'Customer', id: 'bob' },
      action: { name: 'VIEW_ACCOUNT_BALANCE' },
      resource: { type: 'Account', id: 'acc-alice-savings' },
    },
  ])
  // 8: the PDP says no.
  expect(judgement.decisions).toEqual([false])
  // 9: a deny has no obligations to meet; each room has said its part.
  expect(judgement.opinions.map(recordedOpinion)).toEqual([
    { room: 'login', kind: 'permit', code: null },
    { room: 'firewall', kind: 'permit', code: null },
    { room: 'intent', kind: 'permit', code: null },
    { room: 'coverage', kind: 'permit', code: null },
    { room: 'pdp', kind: 'deny', code: 'pdp.denied' },
  ])
  // 10: on record before the host rejects with a sentence.
  expect(log.records).toMatchObject([{ type: 'decision', decision: 'deny', code: 'pdp.denied', caller: { id: 'bob' } }])
  const answer = answerOf(judgement)
  expect(answer.kind === 'reject' ? answer.feedback : '').toContain('pdp.denied')
})
