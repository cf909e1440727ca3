import type { HttpAnswer, World } from '../core/world.ts'
import type { Check } from './doctor.ts'

/** Seconds of difference that nobody needs to look at. */
const FINE_SECONDS = 5
/** Beyond this a token may be refused as not valid yet, or taken after its end (see `login/verify.ts`). */
const LIMIT_SECONDS = 30

/** A world that notes how far the clocks of the servers that it talks to are from ours. */
export interface WatchedWorld {
  readonly world: World
  /** Seconds by which our clock is ahead, from the latest answer that had a date; undefined when none had. */
  readonly aheadSeconds: () => number | undefined
}

/**
 * Watches the clocks of servers by the `date` of their answers (RFC 9110, 6.6.1); exchanges are otherwise `given`'s
 * own.
 */
export function watchClock(given: World): WatchedWorld {
  let ahead: number | undefined
  const world: World = {
    ...given,
    send: async (url, request) => {
      const sentAt = given.now().getTime()
      const answer = await given.send(url, request)
      ahead = differenceMs(answer, (sentAt + given.now().getTime()) / 2) ?? ahead
      return answer
    },
  }
  return { world, aheadSeconds: () => (ahead === undefined ? undefined : ahead / 1000) }
}

/** `date` counts whole seconds, so on average it is half a second old; a cache says with `age` how old its answer is. */
function differenceMs({ headers }: HttpAnswer, ourMs: number): number | undefined {
  const theirMs = Date.parse(headers['date'] ?? '')
  const ageSeconds = /^\d{1,9}$/.test(headers['age'] ?? '') ? Number(headers['age']) : 0
  return Number.isNaN(theirMs) ? undefined : ourMs - (theirMs + 500 + ageSeconds * 1000)
}

/** Our clock against that of whoever writes the times into the tokens. */
export function clockCheck(aheadSeconds: number | undefined): Check {
  const check = { section: 'services', name: 'clock' } as const
  if (aheadSeconds === undefined) return { ...check, state: 'warn', says: 'not compared: the issuer gave no date' }
  const off = Math.abs(aheadSeconds)
  if (off <= FINE_SECONDS) return { ...check, state: 'ok', says: `within ${FINE_SECONDS} seconds of the issuer` }
  const says = `${Math.round(off)} seconds ${aheadSeconds > 0 ? 'ahead of' : 'behind'} the issuer`
  const fix = 'Synchronize the clock of this machine (NTP), or that of the issuer.'
  if (off <= LIMIT_SECONDS) return { ...check, state: 'warn', says, fix }
  return { ...check, state: 'fail', says: `${says}: good tokens may be refused`, fix }
}
