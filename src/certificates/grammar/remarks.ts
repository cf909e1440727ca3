import type { Ahead, Reading } from './found.ts'
import { moneyAt } from './money.ts'
import { referenceAt } from './names.ts'
import { nounOf } from './nouns.ts'
import { verbAt } from './verbs.ts'
import { DOCUMENTS, PASTE_CUES, wordAt } from './words.ts'

/** The longest remark, in words. */
const LONGEST = 9

/**
 * A remark before the first wish of its sentence, which begins behind the comma: "lunch was great, send …", "Bob covered
 * the taxi, send him …". A closed list of shapes: what a remark may say, a letter may say, so nothing else counts as one.
 */
export function remarkAhead(reading: Reading, at: number): Ahead | undefined {
  const end = commaBehind(reading, at)
  if (end === undefined || isRetold(reading, end)) return undefined
  return isPraise(reading.words.slice(at, end)) || isFavour(reading, at, end) ? { next: end + 1 } : undefined
}

function commaBehind({ tokens, words }: Reading, at: number): number | undefined {
  for (let end = at + 1; end <= at + LONGEST && tokens[end] !== undefined; end += 1) {
    if (words[end] === ',') return end
    if (tokens[end]?.kind !== 'word') return undefined
  }
  return undefined
}

/** "… it said": the order behind the remark is told, not given. */
function isRetold({ tokens, words }: Reading, from: number): boolean {
  for (let at = from; at < tokens.length && tokens[at]?.kind !== 'break'; at += 1) {
    if (TOLD.test(wordAt(words, at))) return true
  }
  return false
}
const TOLD =
  /^(?:says?|said|saying|asks?|asked|tells?|told|wrote|writes?|written|reads?|wants?|wanted|sier|sa|seier|skrev|skreiv|skriver|ba|bad|sto|stod|står)$/

const DETERMINERS = "the |that |this |my |our |the |today's |last night's |den |det |denne "
const THINGS =
  'lunch|dinner|breakfast|brunch|supper|meal|food|coffee|pizza|beer|beers|party|trip|weekend|holiday|concert|film|movie|game|match|taxi|cab|rent|loan|evening|night|day|lunsjen|lunsj|middagen|middag|maten|frokosten|kaffen|pizzaen|ølen|festen|turen|helgen|helga|ferien|konserten|filmen|kampen|drosjen|taxien|husleien|husleia|husleiga|kvelden|dagen'
const IS = 'was|is|were|has been|came|var|er|ble|blei|kom'
const PRAISE =
  'great|good|nice|lovely|fun|fantastic|amazing|delicious|brilliant|wonderful|super|perfect|awesome|tasty|expensive|cheap|late|early|due|due today|due now|overdue|here|over|kjempegod|god|godt|fin|fint|flott|hyggelig|hyggeleg|koselig|koseleg|deilig|deileg|supert|morsom|gøy|dyr|dyrt|billig|over|kjempebra|bra|topp|her'
const MUCH = 'very |really |so |absolutely |quite |veldig |kjempe|så |skikkelig '
const PRAISED = new RegExp(`^(?:${DETERMINERS})?(?:${THINGS})(?:'s| (?:${IS})) (?:${MUCH})?(?:${PRAISE})$`, 'u')
const ALONE =
  /^(?:i |we |i've |i have |i'm |i am |jeg |eg |vi )(?:just |nettopp |akkurat )?(?:got home|got paid|am home|home|back|back home|kom hjem|kom heim|er hjemme|er heime|fikk lønn|fekk løn)$/u

/** About a thing or the day of the user's, and about no text. */
function isPraise(words: readonly string[]): boolean {
  const said = words.join(' ')
  return PRAISED.test(said) || ALONE.test(said)
}

const DID =
  /^(?:covered|paid for|bought|ordered|organised|organized|arranged|cooked|made|fixed|betalte for|la ut for|kjøpte|ordnet|ordna|fikset|fiksa|lagde|laga|dekket|dekka|bestilte) /u
const TAIL_WORDS = 4

/** "Bob covered the taxi": a payee, what they did, and a thing of plain words without a name, an amount or an order. */
function isFavour(reading: Reading, at: number, end: number): boolean {
  const { tokens, words, index } = reading
  const named = referenceAt(index, tokens, words, at)
  if (named?.kind !== 'payee') return false
  const behind = at + named.length
  const [did] = DID.exec(words.slice(behind, end).join(' ')) ?? []
  if (did === undefined) return false
  const tail = behind + did.trim().split(' ').length
  if (tail >= end || end - tail > TAIL_WORDS) return false
  return Array.from({ length: end - tail }, (_, offset) => tail + offset).every((place) => isPlain(reading, place))
}

function isPlain({ tokens, words, index, facts }: Reading, at: number): boolean {
  const token = tokens[at]
  const word = wordAt(words, at)
  if (token?.kind !== 'word' || !token.plain || !/^\p{Ll}+$/u.test(token.text)) return false
  if (verbAt(words, at) !== undefined || JOINS.test(word) || isOfText(word)) return false
  return referenceAt(index, tokens, words, at) === undefined && moneyAt(tokens, words, at, facts.currency) === undefined
}
const isOfText = (word: string): boolean => PASTE_CUES.has(word) || DOCUMENTS.has(word) || nounOf(word) !== undefined
const JOINS =
  /^(?:and|or|but|if|when|then|because|so|that|which|who|og|eller|men|hvis|dersom|når|fordi|så|at|som|not|ikke|ikkje)$/
