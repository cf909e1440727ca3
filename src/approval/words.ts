const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = '_ _ twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const SCALES = [
  [1_000_000_000_000, 'trillion'],
  [1_000_000_000, 'billion'],
  [1_000_000, 'million'],
  [1_000, 'thousand'],
] as const

/**
 * An amount twice, in digits and in words, because a zero is easily overlooked: `5000.00 NOK (five thousand)`.
 * @param minor integer minor units; undefined for what no person can be asked about.
 */
export function moneyInWords(minor: number, currency: string): string | undefined {
  if (!Number.isSafeInteger(minor) || minor < 0 || !/^[A-Z]{3}$/.test(currency)) return undefined
  const digits = fractionDigits(currency)
  const unit = 10 ** digits
  const [whole, rest] = [Math.floor(minor / unit), minor % unit]
  const fraction = String(rest).padStart(digits, '0')
  const exact = digits === 0 ? String(whole) : `${whole}.${fraction}`
  return `${exact} ${currency} (${inWords(whole)}${rest === 0 ? '' : ` and ${fraction}/${unit}`})`
}

/** At most one entry for each three letters. A formatter takes longer to make than the rest of a card. */
const knownDigits = new Map<string, number>()

/** ISO 4217's decimals, as the runtime's own tables have them. */
function fractionDigits(currency: string): number {
  const known = knownDigits.get(currency)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  knownDigits.set(currency, digits)
  return digits
}

function inWords(whole: number): string {
  const scale = SCALES.find(([size]) => whole >= size)
  if (scale === undefined) return belowThousand(whole)
  const [size, name] = scale
  const rest = whole % size
  const head = `${inWords(Math.floor(whole / size))} ${name}`
  if (rest === 0) return head
  return `${head} ${rest < 100 ? 'and ' : ''}${inWords(rest)}`
}

function belowThousand(whole: number): string {
  if (whole < 20) return SMALL[whole] ?? ''
  if (whole < 100) {
    const ten = TENS[Math.floor(whole / 10)] ?? ''
    return whole % 10 === 0 ? ten : `${ten}-${belowThousand(whole % 10)}`
  }
  const hundreds = `${belowThousand(Math.floor(whole / 100))} hundred`
  return whole % 100 === 0 ? hundreds : `${hundreds} and ${belowThousand(whole % 100)}`
}
