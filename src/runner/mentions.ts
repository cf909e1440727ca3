/**
 * Makes a test for whether a text says the value, in any of the spellings that people and models use: amounts with or
 * without thousands separators and `.00`, numbers of a phone with other spaces, words in other case.
 */
export function finder(value: string): (text: string) => boolean {
  if (AMOUNT.test(value)) {
    const pattern = amountPattern(value)
    return (text) => pattern.test(text)
  }
  if (PHONE.test(value)) {
    const digits = value.replaceAll(/\D/g, '')
    return (text) => text.replaceAll(/(?<=\d)[\s\u00a0\u202f().-]+(?=\d)/gu, '').includes(digits)
  }
  const wanted = plain(value)
  return (text) => plain(text).includes(wanted)
}

const AMOUNT = /^\d+\.\d{2}$/
const PHONE = /^\+\d[\d ]{6,}$/
const SEPARATOR = "[ ,.'\\u00a0\\u202f]?"

/** `80000.00` in digits with separators; the decimals may be left out when they are zero. */
function amountPattern(value: string): RegExp {
  const [whole = '', decimals = ''] = value.split('.')
  const groups = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, SEPARATOR)
  const rest = decimals === '00' ? '(?:[.,]00?)?' : `[.,]${decimals}`
  // No digit around it, and no decimals but its own: 180,000.00 and 80,000.50 are other amounts.
  return new RegExp(`(?<!\\d)(?<!\\d[.,])${groups}${rest}(?![.,]?\\d)`, 'u')
}

const plain = (text: string): string => text.normalize('NFKC').replaceAll(/\s+/gu, ' ').toLowerCase()
