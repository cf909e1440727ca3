import { afterAll, describe, expect, it } from 'vitest'
import { killLoop } from '../../bench/kill-loop.ts'
import { BIN, newPlace, run } from '../cli/bin.ts'
import { proves } from '../requirements.ts'

// `KILLS=1000 npx vitest run test/e2e/crash.test.ts` for a long night; `KILL_SEED` repeats a run.
const KILLS = Number(process.env['KILLS'] ?? 8)
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 2 ** 31)

// Two at a time, each on its own files.
const places = [newPlace(), newPlace()] as const
afterAll(() => {
  for (const place of places) place.remove()
})

describe(`a chat that is killed ${KILLS} times (KILL_SEED=${SEED})`, () => {
  it(
    `leaves no transfer without its decision line — ${proves('gate.record-first')}`,
    async () => {
      const reports = await Promise.all(
        places.map((place, index) => killLoop({ cli: BIN, place, count: Math.ceil(KILLS / 2), seed: SEED + index })),
      )
      for (const [index, { faults, transfers, kills }] of reports.entries()) {
        // That the last run, which nobody kills, does its work is one of the things that are looked at.
        expect(faults).toEqual([])
        // The first and the last run are not killed.
        expect(transfers).toBeGreaterThanOrEqual(2)
        expect(kills).toBeGreaterThan(0)
        expect(places[index]?.leftovers()).toEqual([])
      }
    },
    60_000 + KILLS * 5_000,
  )

  it('leaves files that the commands can read', async () => {
    for (const place of places) {
      const audit = place.file('audit.jsonl')
      expect((await run(['audit', 'verify', audit], { place })).code).toBe(0)
      expect((await run(['audit', 'reconcile', audit, '--json'], { place })).code).toBe(0)
    }
  })
})
