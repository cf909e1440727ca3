import { describe, expect, it } from 'vitest'
import type { AttemptedCall } from '../../adapters/hosts/session.ts'
import { createTurn } from '../../adapters/hosts/turn.ts'
import { transcript } from '../../src/cli/transcript.ts'
import { callView } from '../../src/cli/turn-view.ts'
import { whyRows } from '../../src/cli/why.ts'
import { permit } from '../../src/core/decision.ts'
import type { Judgement } from '../../src/gate/gate.ts'
import { loginOf } from '../logins.ts'
import { call, TRANSFER } from '../gate/bank.ts'

const login = await loginOf('bob')
const judgement: Judgement = { id: 'd-1', decision: permit(), opinions: [], ms: 1 }
const BREACH = 'effects.contract_breach'
const SAYS = /did something else than what was decided on/

const head = {
  ...{ login, gate: true, pdp: 'standin', intentSource: 'agent', intentAgent: 'standin', model: 'scripted' },
  certificates: 'enforce',
}

/** What a turn keeps of one transfer that ran, breached or not. */
async function attempted(breached: boolean): Promise<AttemptedCall> {
  const turn = createTurn(1, new Set(['transfer_money']))
  const made = call(login, 'transfer_money', TRANSFER)
  turn.decided(made, judgement)
  const nothing = { mutations: [], resources: [], rows: 0, destinations: [], egress: 'none' } as const
  const breach = { component: 'amount', predicted: nothing }
  turn.ran(
    made.id,
    made.tool,
    Promise.resolve(
      breached
        ? { kind: 'breached', executed: true, code: BREACH, breach }
        : { kind: 'done', executed: true, value: TRANSFER },
    ),
  )
  await turn.settled()
  const [attempt] = turn.attempts()
  if (attempt === undefined) throw new Error('no attempt')
  return attempt
}

describe('a run that broke its contract', () => {
  it.each([
    { where: 'in the view of the turn', told: (made: AttemptedCall) => callView(made, true, true) },
    { where: 'by /why', told: (made: AttemptedCall) => whyRows(made, []) },
    {
      where: 'in the transcript',
      told: (made: AttemptedCall) => transcript(head, [{ user: '', calls: [made], assistant: '', ended: 'done' }]),
    },
  ])('is told $where, with its code and a sentence; a run that kept it is not', async ({ told }) => {
    const breached = JSON.stringify(told(await attempted(true)))
    expect(breached).toContain(BREACH)
    expect(breached).toMatch(SAYS)
    expect(JSON.stringify(told(await attempted(false)))).not.toContain('breach')
  })
})
