import { createServer } from 'node:net'
import type { BankData } from '../canbank/bank.ts'
import type { ComposeOptions } from './compose.io.ts'
import type { Settings } from '../config.io.ts'
import type { Part } from '../runner/scenario.ts'

/** Puts parts of a run out of order. */
export interface Outage {
  /** The same graph, with these parts unusable. */
  within(broken: readonly Part[], options: ComposeOptions): ComposeOptions
  close(): Promise<void>
}

/** Opens a port that hangs up on everybody: what a part that is down looks like from here. */
export async function openOutage(): Promise<Outage> {
  const server = createServer((socket) => {
    socket.destroy()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`
  return {
    within: (broken, options) => broken.reduce((left, part) => BREAKS[part](left, url), options),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
      }),
  }
}

const BREAKS: Readonly<Record<Part, (options: ComposeOptions, url: string) => ComposeOptions>> = {
  // Of the kind without a check at start: a gate that cannot start is another story.
  pdp: (options, url) => withSettings(options, { PDP_KIND: 'standin', AUTHZEN_PDP_URL: url, ofTenants: {} }),
  'intent-agent': (options, url) => withSettings(options, { INTENT_SOURCE: 'agent', INTENT_AGENT_URL: url }),
  'customer-data': (options) => ({ ...options, data: (bank) => unreadable(options.data?.(bank) ?? bank) }),
}

const withSettings = (options: ComposeOptions, changed: Partial<Settings>): ComposeOptions => ({
  ...options,
  settings: { ...options.settings, ...changed },
})

/** Nothing but certificates reads saved payees. */
const unreadable = (bank: BankData): BankData => ({
  ...bank,
  savedPayees: new Proxy(bank.savedPayees, {
    get: () => {
      throw new Error("the customer's own data cannot be read")
    },
  }),
})
