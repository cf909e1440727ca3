import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import stringWidth from 'string-width'
import { cardScreen, type CardScreen } from '../../src/approval/screen.ts'
import { ALL_SAID, noteCard, transferCard } from './cards.ts'

const drawn = ({ lines }: CardScreen): string => lines.map(({ tone, text }) => `${tone.padEnd(5)} ${text}\n`).join('')

const CARDS = {
  'all-said': transferCard(),
  invoice: transferCard({
    args: { from_account: 'acc-alice-checking', to_account: 'ext-nordlys-kraft', amount: '640.00', currency: 'NOK' },
    origins: new Map([
      ['from_account', { origin: 'login', source: 'your only open account' }],
      ['to_account', { origin: 'record', source: 'invoice inv-alice-1', called: 'Nordlys Kraft' }],
      ['amount', { origin: 'record', source: 'invoice inv-alice-1' }],
      ['currency', { origin: 'record', source: 'invoice inv-alice-1' }],
    ]),
  }),
  'injected-payee': transferCard({
    args: { to_account: 'acc-carol-checking' },
    origins: new Map([...ALL_SAID, ['to_account', { origin: 'tool', source: 'get_invoice' }]]),
  }),
  'unknown-origin': transferCard({ origins: new Map() }),
  'look-alike-payee': noteCard('acc-\u0430lice'),
  'hidden-characters': noteCard('acc-al\u200bice \u202e.exe \u001b[2K\u001b[1Adone'),
  'pushed-out-of-view': noteCard(`ls${'\n'.repeat(19)}touch marker${' '.repeat(400)}end`),
  'forged-lines': noteCard('x\n| * From   acc-bob\n+---\nConfirmed, once. [y/N] y … \\u{202e}'),
  'long-value': noteCard(`${'npm view x version; '.repeat(60)}touch marker`),
}
type CardName = keyof typeof CARDS
const names = Object.keys(CARDS) as CardName[]

describe.each([40, 80])('in a terminal of %i columns', (columns) => {
  it.each(names)('draws the card %s', async (name) => {
    const screen = drawn(cardScreen(CARDS[name], { columns }))
    await expect(screen).toMatchFileSnapshot(`../golden/approval/${name}-${columns}.txt`)
  })

  it.each(names)('draws all of the card %s on request', async (name) => {
    const screen = cardScreen(CARDS[name], { columns, full: true })
    expect(screen.whole).toBe(true)
    expect(screen.lines.map(({ text }) => text.slice(2).replaceAll(' ', '')).join('')).toContain(
      `digest${CARDS[name].digest}`,
    )
  })
})

it('says that a card is whole unless a value is cut', () => {
  const whole = names.filter((name) => cardScreen(CARDS[name], { columns: 80 }).whole)
  expect(names.filter((name) => !whole.includes(name))).toEqual(['long-value'])
})

it('shows the end of a value of 60,000 characters, and how much is left out', () => {
  const screen = drawn(cardScreen(noteCard(`${'a'.repeat(60_000)}; touch marker`), { columns: 200 }))
  expect(screen).toContain('; touch marker')
  expect(screen).toContain('59614 of 60014 characters are left out; type d to see all')
})

it('shows every argument as the words of nobody when it is not known where they came from', () => {
  const { lines } = cardScreen(CARDS['unknown-origin'], { columns: 80 })
  const { lines: said } = cardScreen(CARDS['all-said'], { columns: 80 })
  const marks = (each: typeof lines): number => each.filter(({ text }) => text.includes('NOT YOUR WORDS')).length
  expect([marks(lines), marks(said)]).toEqual([4, 0])
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 700 }),
  fc.string({
    unit: fc.constantFrom('\n', '\r', '|', ' ', '\u001b', '\u202e', '×', '…', 'a', '\\', 'u{', '"', 'ｙ', '界'),
  }),
)
const LINE = /^(\|( .*)?|\+-+)$/u

test.prop([anyText, anyText, fc.integer({ min: 0, max: 130 }), fc.boolean()], { numRuns: 300 })(
  'nothing in a value ends a line, leaves its column or is obeyed by the terminal',
  (note, source, columns, full) => {
    const { lines } = cardScreen(noteCard(note, { origin: 'tool', source, called: note }), { columns, full })
    for (const { text } of lines) {
      expect(text).toMatch(LINE)
      expect(text).not.toMatch(/[\p{C}\p{DI}\p{M}\p{Zl}\p{Zp}]/u)
      expect(stringWidth(text)).toBeLessThanOrEqual(Math.max(24, columns))
    }
  },
)

test.prop([anyText, anyText], { numRuns: 300 })('two different values never look the same', (one, other) => {
  const look = (note: string): string => drawn(cardScreen(noteCard(note), { columns: 400, full: true }))
  const digestless = (screen: string): string => screen.replace(/digest.*/, '')
  if (one !== other) expect(digestless(look(one))).not.toBe(digestless(look(other)))
})
