import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Evaluation } from '../../src/core/authzen.ts'

const OWNERS: Readonly<Record<string, readonly string[]>> = {
  'Account acc-alice-checking': ['alice'],
  'Account acc-alice-savings': ['alice'],
  'Account acc-bob-checking': ['bob'],
  'Account acc-bob-closed': ['bob'],
  'Account acc-carol-checking': ['carol'],
  'Account acc-joint': ['alice', 'bob'],
  'Invoice inv-alice-1': ['alice'],
  'Invoice inv-bob-1': ['bob'],
  'Invoice inv-carol-1': ['carol'],
  'Customer alice': ['alice'],
  'Customer bob': ['bob'],
  'Customer carol': ['carol'],
}

const TYPES: Readonly<Record<string, string>> = {
  VIEW_ACCOUNT_BALANCE: 'Account',
  TRANSFER_FROM_ACCOUNT: 'Account',
  VIEW_INVOICE: 'Invoice',
  VIEW_CUSTOMER_PROFILE: 'Customer',
}

function decide({ subject, action, resource }: Evaluation): boolean {
  const closed = action.name === 'TRANSFER_FROM_ACCOUNT' && resource.id === 'acc-bob-closed'
  const owners = OWNERS[`${resource.type} ${resource.id}`] ?? []
  return subject.type === 'Customer' && TYPES[action.name] === resource.type && owners.includes(subject.id) && !closed
}

/** The least AuthZEN 1.0 server that knows who owns what at canbank. */
export async function wellBehavedPdp(): Promise<{ readonly url: URL; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { evaluations } = JSON.parse(body) as { evaluations: Evaluation[] }
      const id = request.headers['x-request-id']
      response.writeHead(request.url === '/access/v1/evaluations' ? 200 : 404, {
        'content-type': 'application/json',
        ...(typeof id === 'string' ? { 'x-request-id': id } : {}),
      })
      response.end(JSON.stringify({ evaluations: evaluations.map((each) => ({ decision: decide(each) })) }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}
