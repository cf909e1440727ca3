import { expect, it } from 'vitest'
import { moneyInWords } from '../../src/approval/words.ts'

it.each([
  { minor: 500_00, currency: 'NOK', says: '500.00 NOK (five hundred)' },
  { minor: 5000_00, currency: 'NOK', says: '5000.00 NOK (five thousand)' },
  { minor: 4_200_50, currency: 'NOK', says: '4200.50 NOK (four thousand two hundred and 50/100)' },
  { minor: 1, currency: 'NOK', says: '0.01 NOK (zero and 01/100)' },
  { minor: 21_00, currency: 'NOK', says: '21.00 NOK (twenty-one)' },
  { minor: 101_00, currency: 'NOK', says: '101.00 NOK (one hundred and one)' },
  { minor: 1_019_00, currency: 'EUR', says: '1019.00 EUR (one thousand and nineteen)' },
  { minor: 1_250_000_00, currency: 'EUR', says: '1250000.00 EUR (one million two hundred and fifty thousand)' },
  {
    minor: 999_999_999_999_99,
    currency: 'NOK',
    says: '999999999999.99 NOK (nine hundred and ninety-nine billion nine hundred and ninety-nine million nine hundred and ninety-nine thousand nine hundred and ninety-nine and 99/100)',
  },
  { minor: 500, currency: 'JPY', says: '500 JPY (five hundred)' },
  { minor: 1_500, currency: 'BHD', says: '1.500 BHD (one and 500/1000)' },
])('says $minor $currency as $says', ({ minor, currency, says }) => {
  expect(moneyInWords(minor, currency)).toBe(says)
})

it.each([
  { minor: Infinity, currency: 'NOK' },
  { minor: NaN, currency: 'NOK' },
  { minor: -1, currency: 'NOK' },
  { minor: 0.5, currency: 'NOK' },
  { minor: 2 ** 53, currency: 'NOK' },
  { minor: 500, currency: 'nok' },
  { minor: 500, currency: 'ΝΟΚ' },
  { minor: 500, currency: '' },
])('has no words for $minor "$currency"', ({ minor, currency }) => {
  expect(moneyInWords(minor, currency)).toBeUndefined()
})
