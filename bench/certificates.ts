import { BANKS } from '../src/canbank/banks.ts'
import { subjectFacts } from '../src/canbank/facts.ts'
import type { Certificates } from '../src/certificates/certificates.ts'
import { createCertificates } from '../src/certificates/create-certificates.ts'
import { grammarDeriver } from '../src/certificates/grammar/grammar-deriver.ts'
import type { NormalizedCall } from '../src/core/call.ts'
import { sessionId, toolCallId } from '../src/core/ids.ts'
import type { Login } from '../src/core/login.ts'
import { normalize } from '../src/firewall/normalize.ts'
import { createWorld } from '../src/world.io.ts'
import { realTools, signInBob } from './bank-gate.ts'
import { figure, median, nowUs, quantile, type Figure, type Section } from './figures.ts'

const ISSUED = 3_000
const JUDGED = 20_000
const WARM_UP = 1_000
/** A session is closed after so many messages, so that its own history is no part of the figure. */
const MESSAGES_A_SESSION = 10

const TRANSFER = 'Send 250 kr to Alice from my checking account'

/** What a certificate costs: making one from a message, and holding a call against it. */
export async function certificates(): Promise<Section> {
  const world = createWorld()
  try {
    const login = await signInBob(world)
    const room = createCertificates({
      ...{ mode: 'enforce', deriver: grammarDeriver, now: world.now, newId: world.newId, key: 'k'.repeat(32) },
      facts: () => subjectFacts(BANKS.canbank, 'bob', world.now().toISOString().slice(0, 10)),
    })
    return {
      title: 'Intent certificates',
      how:
        'one message read, grounded, sealed and kept, with the facts of the bank; one call judged against it, K1 to K14 ' +
        'and provenance included, in a session that holds its message. Every one of them with the answer that is wanted.',
      figures: [...issueFigures(room, login), ...judgeFigures(room, login)],
    }
  } finally {
    await world.close()
  }
}

function issueFigures(room: Certificates, login: Login): readonly Figure[] {
  const tools = realTools()
  const samples: number[] = []
  for (let n = 0; n < WARM_UP + ISSUED; n++) {
    const session = sessionId(`issue-${Math.floor(n / MESSAGES_A_SESSION)}`)
    const turn = (n % MESSAGES_A_SESSION) + 1
    const message = { login, session, turn, messageId: `m-${n}`, text: TRANSFER }
    const startedUs = nowUs()
    const { certificate } = room.issue(message, tools)
    if (n >= WARM_UP) samples.push(nowUs() - startedUs)
    if (certificate?.classes.includes('move_money') !== true) throw new Error('the sample message was not understood')
    if (turn === MESSAGES_A_SESSION) room.forget(session)
  }
  return [
    figure('certificate of a message, p50', 'ms', median(samples) / 1000, { target: { atMost: 1 } }),
    figure('certificate of a message, p99', 'ms', quantile(samples, 0.99) / 1000),
  ]
}

function judgeFigures(room: Certificates, login: Login): readonly Figure[] {
  const calls = {
    'a payment as it was said': callOf(login, 1, '250.00'),
    'a payment of another amount': callOf(login, 1, '2500.00'),
  }
  room.issue({ login, session: sessionId('judge'), turn: 1, messageId: 'm', text: TRANSFER }, realTools())
  return Object.entries(calls).flatMap(([what, call], index) => {
    const want = index === 0 ? 'permit' : 'deny'
    const samples: number[] = []
    for (let n = 0; n < WARM_UP + JUDGED; n++) {
      const startedUs = nowUs()
      const { decision } = room.judge(call)
      if (n >= WARM_UP) samples.push(nowUs() - startedUs)
      if (decision.kind !== want) throw new Error(`${what} got ${decision.kind}`)
    }
    return [
      figure(`${what}, judged, p50`, 'µs', median(samples), { target: { atMost: 20 } }),
      figure(`${what}, judged, p99`, 'µs', quantile(samples, 0.99)),
    ]
  })
}

function callOf(login: Login, turn: number, amount: string): NormalizedCall {
  const call = normalize(
    {
      ...{ id: toolCallId(`pay-${amount}`), session: sessionId('judge'), turn, login },
      ...{ kind: 'custom-tool', tool: 'transfer_money' },
      args: { from_account: 'acc-bob-checking', to_account: 'acc-alice-checking', amount, currency: 'NOK' },
    },
    realTools(),
  )
  if (!call.ok) throw new Error(call.detail)
  return call.value
}
