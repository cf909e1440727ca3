import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { grammarDeriver } from '../../../src/certificates/grammar/grammar-deriver.ts'
import { readSpoken } from '../../../src/certificates/grammar/numbers.ts'
import { alice } from './alice.ts'

const amountOf = (said: string, facts = alice) => {
  const [step] = grammarDeriver.derive(`Pay ${said} to Bob from savings`, facts).steps
  return step?.amount?.value
}
const missingOf = (said: string, facts = alice) =>
  grammarDeriver.derive(`Pay ${said} to Bob from savings`, facts).steps[0]?.missing

describe('an amount in a message', () => {
  it.each([
    ['500', 500_00, 'NOK'],
    ['500.00', 500_00, 'NOK'],
    ['500,00 kr', 500_00, 'NOK'],
    ['500.5', 500_50, 'NOK'],
    ['0,50 kr', 50, 'NOK'],
    ['1 500 kr', 1_500_00, 'NOK'],
    ['1\u00a0500,00 kr', 1_500_00, 'NOK'],
    ['1\u202f500 kr', 1_500_00, 'NOK'],
    ['1.500,00', 1_500_00, 'NOK'],
    ['1,500.00', 1_500_00, 'NOK'],
    ['1.234.567,89', 1_234_567_89, 'NOK'],
    ['1 000 000 kr', 1_000_000_00, 'NOK'],
    ['kr 500', 500_00, 'NOK'],
    ['kr. 500', 500_00, 'NOK'],
    ['500kr', 500_00, 'NOK'],
    ['NOK500', 500_00, 'NOK'],
    ['NOK 500', 500_00, 'NOK'],
    ['500 NOK', 500_00, 'NOK'],
    ['500,-', 500_00, 'NOK'],
    ['kr 500,-', 500_00, 'NOK'],
    ['$50', 50_00, 'USD'],
    ['50 dollars', 50_00, 'USD'],
    ['€20', 20_00, 'EUR'],
    ['20 EUR', 20_00, 'EUR'],
    ['£7.50', 7_50, 'GBP'],
    ['¥900', 900, 'JPY'],
    ['five hundred', 500_00, 'NOK'],
    ['fem hundre kroner', 500_00, 'NOK'],
    ['femhundre kroner', 500_00, 'NOK'],
    ['tohundreogfemti kroner', 250_00, 'NOK'],
    ['two hundred and five', 205_00, 'NOK'],
    ['twenty-five euros', 25_00, 'EUR'],
    ['a thousand kroner', 1_000_00, 'NOK'],
    ['hundre og to kroner', 102_00, 'NOK'],
    ['tusen to hundre kroner', 1_200_00, 'NOK'],
    ['twenty one', 21_00, 'NOK'],
  ])('reads %j as %d %s', (said, minor, currency) => {
    expect(amountOf(said)).toEqual({ minor, currency })
  })

  it.each([
    '1.500',
    '1,500',
    '500.005',
    '1k',
    '1.5k',
    '50%',
    '50 percent',
    '-500',
    '−500',
    '0',
    '0500',
    '500-600',
    '500 - 600',
    '500 or 600',
    '500 and 600',
    '5 hundred',
    '2 million',
    '1 500 00',
    '５００',
    '٥٠٠',
    'about 500',
    'up to 500',
    'at least 500',
    'ca. 500',
    'omtrent 500',
    'half of 500',
    'all my money',
    'two five',
    'tjue to kroner',
    'two hundred to three hundred',
    'USD 20 kr',
    '¥9.50',
    'twice 500',
    '500 x 2',
    '99999999999999',
  ])('asks for the amount when %j is said', (said) => {
    expect(amountOf(said)).toBeUndefined()
    expect(missingOf(said)).toContain('amount')
  })

  it('asks for the currency when nothing settles it', () => {
    const { currency, ...facts } = alice
    expect(currency).toBe('NOK')
    expect(missingOf('500', facts)).toEqual(['amount', 'currency'])
    expect(amountOf('500 kr', facts)).toEqual({ minor: 500_00, currency: 'NOK' })
  })

  const ones =
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
  const tens = 'zero ten twenty thirty forty fifty sixty seventy eighty ninety'
  const belowHundred = (value: number): string =>
    value < 20
      ? (ones.split(' ')[value] ?? '')
      : [tens.split(' ')[Math.floor(value / 10)], ...(value % 10 === 0 ? [] : [ones.split(' ')[value % 10]])].join('-')
  const spell = (value: number): string => {
    if (value >= 1000) {
      return `${spell(Math.floor(value / 1000))} thousand ${value % 1000 === 0 ? '' : spell(value % 1000)}`
    }
    if (value < 100) return belowHundred(value)
    return `${belowHundred(Math.floor(value / 100))} hundred ${value % 100 === 0 ? '' : `and ${belowHundred(value % 100)}`}`
  }

  test.prop([fc.integer({ min: 2, max: 999_999 })])(
    'reads every number up to 999,999 that is spelled in English',
    (value) => {
      const words = spell(value).trim().split(/\s+/)
      expect(readSpoken(words, 0)).toEqual({ value, length: words.length })
    },
  )
})

describe('a date in a message', () => {
  const dateOf = (said: string) => {
    const [step] = grammarDeriver.derive(`Pay 500 kr to Bob from savings ${said}`, alice).steps
    return step?.date?.value ?? (step?.missing.includes('date') === true ? 'missing' : 'none')
  }

  it.each([
    ['today', 'none'],
    ['tomorrow', '2026-12-02'],
    ['i dag', 'none'],
    ['on 2026-12-01', '2026-12-01'],
    ['i morgen', '2026-12-02'],
    ['i morgon', '2026-12-02'],
    ['on 2026-12-15', '2026-12-15'],
    ['den 15. desember', '2026-12-15'],
    ['15. desember 2027', '2027-12-15'],
    ['on 15 December', '2026-12-15'],
    ['on December 15, 2026', '2026-12-15'],
    ['on the 3rd of January', '2027-01-03'],
    ['den 15.12.2026', '2026-12-15'],
    ['on 12/15/2026', '2026-12-15'],
    ['on 15/12/2026', '2026-12-15'],
    ['on 5/6/2027', 'missing'],
    ['next Friday', 'missing'],
    ['neste fredag', 'missing'],
    ['next week', 'missing'],
    ['in two weeks', 'missing'],
    ['on 2020-01-01', 'missing'],
    ['30. februar', 'missing'],
    ['on 2026-02-30', 'missing'],
    ['today or tomorrow', 'missing'],
    ['tomorrow or today', 'missing'],
    ['now', 'none'],
  ])('reads %j as %s', (said, date) => {
    expect(dateOf(said)).toBe(date)
  })
})
