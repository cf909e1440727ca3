import { readCedar } from '../adapters/pdp/cedar-files.io.ts'
import { openCedar } from '../adapters/pdp/cedar.ts'
import { PDP_KINDS } from '../adapters/pdp/kinds.ts'
import { fgaSettings, setUpBank } from '../scripts/openfga-bank.ts'
import { findOpenfga, openfgaVersion } from '../scripts/openfga-binary.ts'
import { startOpenfga } from '../scripts/openfga-server.ts'
import { BANKS } from '../src/canbank/banks.ts'
import type { Login } from '../src/core/login.ts'
import type { World } from '../src/core/world.ts'
import type { Pdp, PdpQuestion } from '../src/pdp/pdp.ts'
import { createWorld } from '../src/world.io.ts'
import { signInBob } from './bank-gate.ts'
import { figure, median, quantile, timedUs, type Figure, type Section } from './figures.ts'
import { openLoopback } from './loopback.ts'

const WARM_UP = 1_000
const BATCH = 50
const BATCHES = 60

/** One decision of a real engine, beside one bare POST; both take turns, so that a busy time hits both. */
export async function pdps(): Promise<Section> {
  const world = createWorld()
  const loopback = await openLoopback()
  const login = await signInBob(world)
  const floorOf = (pdp: Pdp): Promise<Measured> => measure(pdp, login, loopback.post)
  try {
    const cedar = await floorOf(await openCedar(readCedar({}, BANKS.canbank)))
    const openfga = await withOpenfga(world, floorOf)
    return {
      title: 'One decision of an engine',
      how: `${BATCH * BATCHES} decisions over one evaluation, in turn with as many POSTs to a server that only answers.${openfga.how}`,
      figures: [...cedarFigures(cedar), ...openfga.figures],
    }
  } finally {
    await loopback.close()
    await world.close()
  }
}

/** Microseconds. */
interface Measured {
  readonly decisions: readonly number[]
  readonly posts: readonly number[]
}

async function measure(pdp: Pdp, login: Login, post: () => Promise<void>): Promise<Measured> {
  const question: PdpQuestion = {
    evaluations: [
      {
        subject: { type: 'Customer', id: 'bob' },
        action: { name: 'VIEW_ACCOUNT_BALANCE' },
        resource: { type: 'Account', id: 'acc-bob-checking' },
      },
    ],
    login,
  }
  const { signal } = new AbortController()
  const decide = async (): Promise<void> => {
    const verdict = await pdp.decide(question, signal)
    if (!verdict.ok || verdict.value[0] !== true) throw new Error('the measured decision was no permit')
  }
  for (let n = 0; n < WARM_UP; n++) await decide()
  const decisions: number[] = []
  const posts: number[] = []
  for (let batch = 0; batch < BATCHES; batch++) {
    for (let n = 0; n < BATCH; n++) decisions.push(await timedUs(decide))
    for (let n = 0; n < BATCH; n++) posts.push(await timedUs(post))
  }
  return { decisions, posts }
}

const BARE = 'one bare POST on loopback'

const cedarFigures = ({ decisions, posts }: Measured): readonly Figure[] => [
  figure('Cedar in process, p50', 'µs', median(decisions), {
    target: { atMost: 300 },
    floor: { what: BARE, value: median(posts) },
  }),
  figure('Cedar in process, p99', 'µs', quantile(decisions, 0.99)),
]

const openfgaFigures = ({ decisions, posts }: Measured): readonly Figure[] => [
  figure('OpenFGA on loopback, p50', 'ms', median(decisions) / 1000, {
    target: { atMost: 2 },
    floor: { what: BARE, value: median(posts) / 1000 },
  }),
  figure('OpenFGA on loopback, p99', 'ms', quantile(decisions, 0.99) / 1000),
]

interface OpenfgaPart {
  readonly figures: readonly Figure[]
  readonly how: string
}

async function withOpenfga(world: World, floorOf: (pdp: Pdp) => Promise<Measured>): Promise<OpenfgaPart> {
  const binary = findOpenfga()
  if (binary === undefined) return { figures: [], how: ' OpenFGA is not here: `npm run openfga` gets it.' }
  const server = await startOpenfga({ binary })
  try {
    const settings = fgaSettings(server, [await setUpBank(server, BANKS.canbank)])
    const measured = await floorOf(PDP_KINDS.openfga(settings, world))
    return { figures: openfgaFigures(measured), how: ` OpenFGA ${openfgaVersion(binary) ?? ''}, data in memory.` }
  } finally {
    await server.close()
  }
}
