import { dateAt } from './dates.ts'
import type { Reading } from './found.ts'
import { currencyOf, type MoneyMention } from './money.ts'
import { referenceAt } from './names.ts'
import { literalPayee } from './pronouns.ts'
import { isKnown } from './vocabulary.ts'
import { wordAt } from './words.ts'

/** Beside an amount: whose money, or what money that is. */
const NATIONS =
  /^(?:swedish|danish|icelandic|american|canadian|australian|hong|british|euro|us|svenske?|danske?|islandske?|amerikanske?|kanadiske?|australske?|britiske?)$/
/** Behind an amount: it is not the whole of it. */
const CHANGED =
  /^(?:less|minus|plus|pluss|more|mindre|mer|meir|net|netto|gross|brutto|excluding|including|excl|incl|eks|ekskl|ekskludert|inkl|inkludert|ex|before|ish|ca|circa|cirka|approximately|about|roughly|fewer|extra|ekstra|discount|rabatt|off|tax|vat|mva|worth|verdt|equivalent|tops|max|maks|maksimum|maximum|minimum|tip|tips)$/
/** "Or so", "and change": nearly as much. */
const NEARLY =
  /^(?:or|and|eller|og) (?:so|more|less|thereabouts|change|some|something|så|mer|meir|mindre|deromkring|litt)$/
/** Things that are counted, not money. */
const THINGS =
  /^(?:tickets?|things?|gifts?|times|cents?|friends?|cards?|dinners?|lunch|billetter|billett|ting|gaver|kort|gonger|ganger|øre|points?)$/

/** Whether a word beside an amount leaves open how much it is, or of what: "500 pesos", "500 kr less fees". */
export function isOfOtherUnit(reading: Reading, at: number, { length, bare }: MoneyMention): boolean {
  const { words } = reading
  const [before, after, next] = [wordAt(words, at - 1), wordAt(words, at + length), wordAt(words, at + length + 1)]
  if (NATIONS.test(before) || NATIONS.test(after) || CHANGED.test(after)) return true
  if (NEARLY.test(`${after} ${next}`) || (IN.test(after) && isMadeOf(reading, at + length + 1))) return true
  return THINGS.test(after) || (bare && (isThanks(reading, at, after) || isUnknownUnit(reading, at + length)))
}

/** "A thousand thanks" is no amount; "500 thanks" is one. */
const isThanks = ({ tokens }: Reading, at: number, after: string): boolean =>
  /^(?:thanks|takk)$/.test(after) && tokens[at]?.kind === 'word'

const IN = /^(?:in|i|of|av)$/
/** "500 in dollars", "500 of those", "500 i gull". */
const isMadeOf = (reading: Reading, at: number): boolean =>
  /^(?:those|these|them|it|disse|dem)$/.test(wordAt(reading.words, at)) ||
  currencyOf(wordAt(reading.words, at), undefined) !== undefined ||
  // "The 500 kr i received" is English.
  (wordAt(reading.words, at - 1) !== 'i' && isUnknownUnit(reading, at))

/** "500 doubloons": a word that is neither known nor whom the money is for. */
function isUnknownUnit(reading: Reading, at: number): boolean {
  const { tokens, words, index, facts } = reading
  const token = tokens[at]
  if (token?.kind !== 'word' || isKnown(token.lower)) return false
  if (dateAt(tokens, at, facts.today) !== undefined || referenceAt(index, tokens, words, at) !== undefined) return false
  return literalPayee(reading, at) === undefined
}
