import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { needlesOf } from '../../src/firewall/encodings.ts'
import { pieceFinder, rememberingParts, type Carried } from '../../src/firewall/pieces.ts'

const LONG = 'sk-live-Q7w9Zr2LmX81tVb4'
const SHORT = 'pg-pass-4471'
const values = [LONG, SHORT, 'tiny-val'].flatMap((value) =>
  needlesOf('.env', { key: 'K', value }).filter(({ isValue }) => isValue),
)
const find = pieceFinder(values)
const fresh = (): Carried => new Map()

/** The values that are whole after each call in turn. */
function after(...calls: readonly (readonly string[])[]): readonly string[] {
  const carried = fresh()
  return calls.map((texts) => find(texts, carried).map(({ text }) => text)).at(-1) ?? []
}

describe('parts of a value', () => {
  it.each<[string, readonly (readonly string[])[], string]>([
    ['two halves in two calls', [[LONG.slice(0, 12)], [LONG.slice(12)]], LONG],
    ['the second half first', [[LONG.slice(12)], ['other'], [LONG.slice(0, 12)]], LONG],
    ['three parts', [[LONG.slice(0, 8)], [LONG.slice(8, 16)], [LONG.slice(16)]], LONG],
    ['parts that overlap', [[LONG.slice(0, 14)], [LONG.slice(9)]], LONG],
    ['two texts of one call', [[LONG.slice(12), LONG.slice(0, 12)]], LONG],
    ['all but two characters', [[LONG.slice(0, 12)], [LONG.slice(12, -2)]], LONG],
    ['halves of a short value', [[`x=${SHORT.slice(0, 6)}&`], [`y=${SHORT.slice(6)}`]], SHORT],
  ])('are found: %s', (_title, calls, value) => {
    expect(after(...calls)).toEqual([value])
  })

  it.each<[string, readonly (readonly string[])[]]>([
    ['one half', [[LONG.slice(0, 12)], ['nothing']]],
    ['the same half twice', [[LONG.slice(0, 12)], [LONG.slice(0, 12)]]],
    ['three quarters', [[LONG.slice(0, 9)], [LONG.slice(9, 18)]]],
    ['halves of a value with no parts', [['tiny'], ['-val']]],
    ['parts that are too short', [Array.from({ length: 4 }, (_, at) => LONG.slice(at * 6, at * 6 + 6))]],
  ])('are not: %s', (_title, calls) => {
    expect(after(...calls)).toEqual([])
  })

  it('are not looked for behind the first 64 KiB of a call', () => {
    expect(after([LONG.slice(0, 12)], ['x'.repeat(65_536), LONG.slice(12)])).toEqual([])
  })

  test.prop([fc.integer({ min: 8, max: LONG.length - 8 }), fc.string(), fc.string()])(
    'are found wherever a value is cut in two',
    (at, before, behind) => {
      expect(after([before + LONG.slice(0, at)], [LONG.slice(at) + behind])).toContain(LONG)
    },
  )
})

describe('what a session has carried out', () => {
  it('is its own, and a call without a session starts with nothing', () => {
    const of = rememberingParts()
    expect(of('a')).toBe(of('a'))
    expect(of('a')).not.toBe(of('b'))
    expect(of('')).not.toBe(of(''))
  })

  it('is forgotten for the session that was quiet for longest, beyond a thousand', () => {
    const of = rememberingParts()
    const [first, second] = [of('first'), of('second')]
    for (let at = 0; at < 998; at++) of(`${at}`)
    expect(of('first')).toBe(first)
    of('one more')
    expect(of('first')).toBe(first)
    expect(of('second')).not.toBe(second)
  })
})
