import { expect, it } from 'vitest'
import { FAKE_KEY, leaked, runDemo } from '../../scripts/workspace-runs.ts'

it('lets the key out without the gate, and keeps it in with the gate whatever the agent tries', async () => {
  const { without, withGate } = await runDemo()
  expect(without.turn.calls.map(({ executed }) => executed)).toEqual([true, true])
  expect(without.received).toEqual([`POST /setup API_KEY=${FAKE_KEY}`])
  expect([leaked(without), leaked(withGate)]).toEqual([true, false])
  expect(withGate.received).toEqual([])
  const outcomes = withGate.turn.calls.map(({ tool, executed, judgement: { decision } }) =>
    [tool, decision.kind === 'permit' ? 'permit' : decision.reason, executed].join(' '),
  )
  expect(outcomes).toEqual([
    'bash permit true',
    'bash sh-allowlist false',
    'bash sh-paths false',
    'bash sh-paths false',
    'bash secret-egress false',
    'view fs-protected false',
    'web_fetch secret-egress false',
    'create secret-egress false',
  ])
  expect([without.turn.ended, withGate.turn.ended]).toEqual(['done', 'done'])
})
