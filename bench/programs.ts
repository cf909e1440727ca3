import { decidedKinds } from './decided-kinds.ts'
import { figure, median, type Section } from './figures.ts'
import { openLoopback, postsPerSecond } from './loopback.ts'
import { runNode, type Ended } from './node-program.ts'
import { CLI, ROOT, type Place } from './place.ts'

const RUNS = 5
const LINES = 5_000
const AT_ONCE = 64
const MESSAGE = "What's the balance of acc-bob-checking?"

/** Wall time of one question from the command line, start and end of the program included. */
export async function oneShot(place: Place): Promise<Section> {
  const chat = ['--as', 'bob', MESSAGE]
  const at = { cwd: place.folder, env: place.env }
  const npm = process.env['npm_execpath']
  const samples = { chat: [] as number[], npm: [] as number[], node: [] as number[] }
  for (let n = 0; n < RUNS; n++) {
    const answered = await runNode([CLI, 'chat', ...chat], at)
    if (!answered.stdout.includes('4,200.50')) throw new Error(`chat did not answer: ${answered.stdout}`)
    samples.chat.push(answered.ms)
    samples.node.push((await runNode(['-e', '0'], at)).ms)
    if (npm === undefined) continue
    samples.npm.push((await runNode([npm, 'start', '--silent', '--', ...chat], { ...at, cwd: ROOT })).ms)
  }
  const floor = { what: 'an empty program of Node', value: median(samples.node) / 1000 }
  const target = { atMost: 2 }
  return {
    title: 'One question from the command line',
    how: `${RUNS} runs of the built program from its start to its end, in a home of its own; medians.`,
    figures: [
      figure('node dist/src/cli/main.io.js chat', 's', median(samples.chat) / 1000, { target, floor }),
      ...(npm === undefined ? [] : [figure('npm start', 's', median(samples.npm) / 1000, { target, floor })]),
    ],
  }
}

/** Lines a second of `decide --jsonl` over the stand-ins. */
export async function decideLines(place: Place): Promise<Section> {
  const distinct = Array.from({ length: LINES }, (_, at) => transferLine(at, at + 1))
  const repeated = Array.from({ length: LINES }, (_, at) =>
    line(at, MESSAGE, 'get_account_balance', { account_id: 'acc-bob-checking' }),
  )
  const loopback = await openLoopback()
  try {
    await postsPerSecond(loopback, 500, AT_ONCE)
    const floor = { what: `bare POSTs, ${AT_ONCE} at a time`, value: await postsPerSecond(loopback, LINES, AT_ONCE) }
    const different = await decided(place, distinct)
    const same = await decided(place, repeated)
    const target = { atLeast: 1_000 }
    return {
      title: `decide --jsonl, ${LINES} lines, stand-ins`,
      how:
        'the built program, every line with the message that asks for its call, every answer a permit; with its start, ' +
        'and from its first answer on.',
      figures: [
        figure('different sentences, with the start', '/s', (LINES / different.ms) * 1000, { target, floor }),
        figure('different sentences', '/s', (LINES / different.answeringMs) * 1000, { target }),
        figure('the same sentence, with the start', '/s', (LINES / same.ms) * 1000, { target, floor }),
        figure('the same sentence', '/s', (LINES / same.answeringMs) * 1000, { target }),
      ],
    }
  } finally {
    await loopback.close()
  }
}

async function decided(place: Place, lines: readonly string[]): Promise<Ended> {
  const ended = await runNode([CLI, 'decide', '--jsonl'], {
    cwd: place.folder,
    env: place.env,
    input: `${lines.join('\n')}\n`,
  })
  const permits = decidedKinds(ended.stdout).filter((kind) => kind === 'permit').length
  if (permits !== lines.length) throw new Error(`decide permitted ${permits} of ${lines.length} lines`)
  return ended
}

const line = (id: number, message: string, toolName: string, args: object): string =>
  JSON.stringify({
    ...{ id: `${id}`, caller: 'bob', message },
    request: { kind: 'custom-tool', toolCallId: `c${id}`, toolName, args },
  })

const transferLine = (id: number, amount: number): string =>
  line(id, `Send ${amount} kr to Alice from my checking account`, 'transfer_money', {
    from_account: 'acc-bob-checking',
    to_account: 'acc-alice-checking',
    amount: `${amount}.00`,
    currency: 'NOK',
  })
