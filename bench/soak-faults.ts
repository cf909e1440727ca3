import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { oneOf } from './randoms.ts'

/** Milliseconds after which an answer is late for everybody who waits. */
export const LATE_MS = 1_500
/** The share of questions that are answered wrongly. */
const SHARE = 0.08

/** What a faulty service does in place of its answer; `undefined` hangs up. */
type Fault = (answer: string) => Promise<Played | undefined> | Played | undefined
interface Played {
  readonly status?: number
  readonly type?: string
  readonly body: string
}

const ANY: Readonly<Record<string, Fault>> = {
  'status 500': () => ({ status: 500, body: '{}' }),
  'no JSON': (body) => ({ body: body.slice(0, -2) }),
  'another media type': (body) => ({ type: 'text/html', body }),
  'another form': () => ({ body: '{}' }),
  'hangs up': () => undefined,
  late: async (body) => {
    await wait(LATE_MS)
    return { body }
  },
}

/** A PDP that errs in every way but a well-formed yes, which nobody could tell from a right one. */
export const PDP_FAULTS: Readonly<Record<string, Fault>> = {
  ...ANY,
  'a decision too few': (body) => ({ body: body.replace(/\{"decision":(true|false)\}/, '').replace('[,', '[') }),
  'decisions as text': (body) => ({ body: body.replaceAll(/"decision":(true|false)/g, '"decision":"$1"') }),
}

/** An intent-agent that errs, or speaks of somebody or something else. */
export const AGENT_FAULTS: Readonly<Record<string, Fault>> = {
  ...ANY,
  'another subject': (body) => ({ body: body.replaceAll(/"(alice|bob)"/g, '"carol"') }),
  'another resource': (body) => ({ body: body.replaceAll(/acc-(alice|bob|carol)-checking/g, 'acc-joint') }),
}

export interface FaultyService {
  readonly url: string
  /** How often each fault was played. */
  readonly played: Readonly<Record<string, number>>
  close(): Promise<void>
}

/** Stands before a service on loopback and plays a fault in place of some of its answers. Only POSTs are questions. */
export async function beFaulty(
  target: string,
  faults: Readonly<Record<string, Fault>>,
  random: () => number,
): Promise<FaultyService> {
  const played: Record<string, number> = {}
  const choose = (): Fault | undefined => {
    const [first, ...others] = Object.entries(faults)
    if (random() >= SHARE || first === undefined) return undefined
    const [name, fault] = oneOf(random, [first, ...others])
    played[name] = (played[name] ?? 0) + 1
    return fault
  }
  const server = createServer((request, response) => {
    const fault = request.method === 'POST' ? choose() : undefined
    forward(target, request, response, fault).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    played,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

/** Headers of one connection and not of the question. */
const OWN = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding'])

async function forward(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    OWN.has(name) || typeof value !== 'string' ? [] : [[name, value]],
  )
  const { method = 'GET', url = '/' } = request
  const body = await text(request)
  const answer = await fetch(new URL(url, target), { method, headers, ...(method === 'POST' ? { body } : {}) })
  const said = { status: answer.status, type: answer.headers.get('content-type') ?? '', body: await answer.text() }
  const played = fault === undefined ? said : await fault(said.body)
  if (played === undefined) {
    response.destroy()
    return
  }
  const { status, type } = { ...said, ...played }
  response.writeHead(status, { 'content-type': type }).end(played.body)
}
