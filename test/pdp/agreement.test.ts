import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { agree, compare, engineParty, type Party, type Said } from '../../scripts/agreement.ts'
import { COMPARABLE, type BankEngine } from '../../scripts/agreement-engines.ts'
import { generated, grid, seeded } from '../../scripts/agreement-questions.ts'
import { recordedIn } from '../../scripts/agreement-transcripts.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import { refuse } from '../../src/core/verdict.ts'
import { createWorld } from '../../src/world.io.ts'
import { bankPdp } from '../../standins/pdp.ts'
import { loginOf, view } from './questions.ts'

const banks = Object.values(BANKS)
const opened: BankEngine[] = []
const world = createWorld()
afterAll(async () => {
  await world.close()
  for (const each of opened) await each.close()
})

/** The facts of the bank as the first party: the others are held against it. */
const facts = (bank: (typeof banks)[number]): Party => {
  const decide = bankPdp(bank)
  return { name: 'facts', ask: (boxcar) => Promise.resolve(boxcar.map(decide)) }
}
const permitted: Readonly<Record<string, number>> = { canbank: 19, fjordbank: 17 }

describe.each(COMPARABLE)('$name', ({ name, open, how }) => {
  it.each(banks)(
    'decides all 144 questions of $tenant and 300 more as the facts say',
    async (bank) => {
      const engine = await open(bank, world)
      if (engine === undefined) {
        const reason = `${name}: left out, the engine is not here. ${how}`
        if ((process.env['CI'] ?? '') !== '') throw new Error(reason)
        console.warn(reason)
        return
      }
      opened.push(engine)
      const party = engineParty(name, engine.pdp, loginOf('bob'))
      const asked = await compare([facts(bank), party], grid(bank))
      expect(asked).toMatchObject({ questions: 144, disagreements: [] })
      expect(asked.counts[name]!.permitted).toBe(permitted[bank.tenant])
      const more = await compare([facts(bank), party], generated(bank, 300, 7))
      expect(more.disagreements).toEqual([])
      expect(more.counts[name]!.permitted).toBeGreaterThan(50)
      expect(more.counts[name]!.denied).toBeGreaterThan(50)
    },
    60_000,
  )
})

it.each(['owner', '_owner', '_open'])(
  'does not let anybody ask OpenFGA for %s, which is a part of an action',
  async (name) => {
    const openfga = COMPARABLE.find((each) => each.name === 'openfga')
    const engine = await openfga?.open(BANKS.canbank, world)
    if (engine === undefined) {
      console.warn(`openfga: left out, the engine is not here. ${openfga?.how ?? ''}`)
      return
    }
    opened.push(engine)
    const boxcar = [{ ...view('bob', 'Account', 'acc-joint'), action: { name } }] as const
    const said = await engineParty('openfga', engine.pdp, loginOf('bob')).ask(boxcar, 0)
    expect(agree(said, await facts(BANKS.canbank).ask(boxcar, 0))).toBe(true)
  },
  60_000,
)

describe('two engines agree', () => {
  const rows: readonly { one: Said; other: Said; agrees: boolean }[] = [
    { one: [true], other: [true], agrees: true },
    { one: [false], other: [false], agrees: true },
    { one: [true], other: [false], agrees: false },
    { one: [false, true], other: [true, false], agrees: false },
    { one: [true, true], other: [true], agrees: false },
    { one: 'pdp.error', other: [false], agrees: true },
    { one: 'pdp.error', other: [true, false], agrees: true },
    { one: 'pdp.error', other: [true, true], agrees: false },
    { one: 'pdp.error', other: 'pdp.id_unsupported', agrees: true },
  ]
  it.each(rows)('$one and $other: $agrees', ({ one, other, agrees }) => {
    expect(agree(one, other)).toBe(agrees)
    expect(agree(other, one)).toBe(agrees)
  })

  it('and one that does not is found and named', async () => {
    const bank = BANKS.canbank
    const right = bankPdp(bank)
    const wrong: Party = {
      name: 'wrong',
      ask: (boxcar) => Promise.resolve(boxcar.map((each) => right(each) || each.resource.id === 'acc-joint')),
    }
    const { differences, disagreements } = await compare([facts(bank), wrong], grid(bank))
    // Everybody may do everything with it: 12 questions, of which 4 are permitted anyway.
    expect(differences.get('facts / wrong')).toBe(8)
    expect(disagreements[0]).toMatchObject({ said: { facts: [false], wrong: [true] } })
  })

  it('is not what an engine that cannot be reached does', async () => {
    const down = engineParty(
      'down',
      { decide: () => Promise.resolve(refuse('pdp.unavailable', 'down')) },
      loginOf('bob'),
    )
    await expect(compare([down], grid(BANKS.canbank))).rejects.toThrow('down gave no answer: pdp.unavailable')
  })
})

describe('generated questions', () => {
  it('are the same for the same seed', () => {
    expect(generated(BANKS.canbank, 50, 3)).toEqual(generated(BANKS.canbank, 50, 3))
    expect(generated(BANKS.canbank, 50, 3)).not.toEqual(generated(BANKS.canbank, 50, 4))
  })

  it('are spread over what they can be', () => {
    const questions = generated(BANKS.canbank, 2_000, 1)
    const text = JSON.stringify(questions)
    for (const word of ['acc-joint', 'acc-bob-closed', 'Vault', 'acc-nobody', 'zoe', 'Robot', 'DELETE']) {
      expect(text).toContain(word)
    }
    expect(new Set(questions.map(({ length }) => length))).toEqual(new Set([1, 2, 3, 4, 5, 6]))
  })

  it('have one subject each', () => {
    for (const boxcar of generated(BANKS.fjordbank, 500, 2)) {
      expect(new Set(boxcar.map(({ subject }) => JSON.stringify(subject))).size).toBe(1)
    }
  })

  it('come from numbers that fill the range', () => {
    const next = seeded(9)
    const numbers = Array.from({ length: 1_000 }, next)
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...numbers)).toBeLessThan(1)
    expect(numbers.reduce((sum, each) => sum + each, 0) / 1_000).toBeCloseTo(0.5, 1)
  })
})

describe('recorded runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agreement-'))
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const file = (text: string): string => {
    writeFileSync(join(folder, 'run.json'), text)
    return join(folder, 'run.json')
  }
  const evaluations = [view('bob', 'Account', 'acc-joint')]
  const transcript = {
    transcript: 1,
    tenant: 'fjordbank',
    turns: [
      { calls: [{ decision: { kind: 'deny', evaluations, decisions: [false] } }, { decision: { evaluations: [] } }] },
    ],
  }
  const recorded = { tenant: 'fjordbank', boxcar: evaluations, decisions: [false] }

  it.each([
    { what: 'a transcript', text: JSON.stringify(transcript, undefined, 2), holds: [recorded] },
    {
      what: 'transcripts by line',
      text: `${JSON.stringify(transcript)}\n${JSON.stringify(transcript)}\n`,
      holds: [recorded, recorded],
    },
    {
      what: 'a call that got no answer',
      text: JSON.stringify({ evaluations, decisions: [] }),
      holds: [{ tenant: undefined, boxcar: evaluations, decisions: undefined }],
    },
  ])('are read from $what', ({ text, holds }) => {
    expect(recordedIn(file(text))).toEqual(holds)
  })

  it.each([
    { what: 'no JSON', text: 'hello', says: /line 1 is not JSON/ },
    { what: 'no evaluation', text: '{"turns":[]}', says: /holds no evaluations/ },
  ])('are refused with $what', ({ text, says }) => {
    expect(() => recordedIn(file(text))).toThrow(says)
  })

  it('are refused where there is no file', () => {
    expect(() => recordedIn(join(folder, 'none'))).toThrow(/cannot be read/)
  })

  it('are one more party', async () => {
    const told: Party = { name: 'recorded', ask: () => Promise.resolve([false]) }
    const { disagreements } = await compare([facts(BANKS.canbank), told], [[view('bob', 'Account', 'acc-joint')]])
    expect(disagreements).toHaveLength(1)
  })
})
