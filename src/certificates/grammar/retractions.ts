import { asksAboutText } from './announced.ts'
import type { Range } from './tokens.ts'
import { STOPS, wordAt } from './words.ts'

/** Words that take back or correct what was said, wherever they stand. */
const TAKES_BACK =
  / (?:(?:sorry|apologies|beklager|unnskyld|orsak)(?! (?:for|about|to|om|at))|oops|whoops|my bad|kidding|joking|joke|jk|i mean|(?:didn't|did not|don't) mean|wait|and again|let me (?:check|think)|meant|correction|mistake|mistaken|typo|scratch (?:that|it)|strike (?:that|it)|forget (?:it|that|this|about|the|what)|ignore (?:it|that|this|the|my|what)|disregard|never mind|nevermind|on reflection|second thoughts?|changed my mind|change my mind|reconsider(?:ed)?|take (?:that|it|this) back|took (?:that|it) back|make (?:that|it)|or rather|i'd rather|would rather|rather not|better not|best not|not (?:sure|now|yet|really|anymore|today|after|that|this|him|her|bob)|hold (?:on|off|that|it)|wrong|actually no|actually not|no longer|leave it|let it be|skip (?:it|that)|drop (?:it|that)|undo|mente|meinte|feil|feilen|tuller|tulla|tulle|tøysa|tøyser|spøk|vits|spøker|spøkte|glem|gløym|ombestemt|ombestemte|ombestemmer|angre|angrer|angrar|skiftet mening|endret mening|endra meining|likevel ikke|likevel ikkje|rettelse|retting|korreksjon|heller ikke|heller ikkje|ikke likevel|la det være|lat det vere|la det vere|la det ligge|dropp (?:det|den)|vent (?:litt|med)|eller forresten|eller nei|or no|or not) /

/** Puts one wish in the place of another; of a single one it says what is not wanted. */
const REPLACES = / (?:instead|i stedet|i staden) /
const INTERRUPTS =
  /(?:,|[—–-]|\(|\.\.\.|…) (?:no|nope|nei|wait|vent|actually|rather|sorry|beklager)(?! (?:questions?|rush|worries|problem|need|hurry|doubt|stress|hast))(?![\p{L}])/u

/** Openings that set a later wish against an earlier one: "no, pay Bob 50", "actually, make it 50". */
const OPENS_ANEW =
  /^(?:no|nope|nei|wait|stop|vent|stopp|actually|egentlig|eigentleg|rather|heller|correction|forresten)$/

/** Where in a sentence an earlier wish is taken back, corrected, or asked about as something strange. */
export function retractionIn(words: readonly string[], { from, to }: Range): number | undefined {
  const sentence = ` ${words.slice(from, to).join(' ').replaceAll(' ,', '')} `
  if (TAKES_BACK.test(sentence) || REPLACES.test(sentence) || asksAboutText(sentence.trim())) return from
  const first = firstWord(words, from, to)
  const next = wordAt(words, first + 1)
  if (OPENS_ANEW.test(wordAt(words, first))) return from
  // "Cancel my standing order" is a wish of its own; "cancel", "cancel it" is not.
  return STOPS.has(wordAt(words, first)) && (first + 1 >= to || WHOLE.test(next)) ? from : undefined
}

const WHOLE = /^(?:,|it|that|this|everything|all|the|det|den|dette|alt|please)$/
const SOUNDS = /^(?:,|hmm+|hm|oh|ah|uh|um|ok|okay|well|but|and|please|just|men|og|å|eh|nja)$/

function firstWord(words: readonly string[], from: number, to: number): number {
  let at = from
  while (at < to && SOUNDS.test(wordAt(words, at))) at += 1
  return at
}

/** The same inside one sentence, behind the wish: "500 kr, sorry, I meant 50". */
export function takesBack(words: readonly string[], isOneOfSeveral: boolean): boolean {
  const text = ` ${words.join(' ')} `
  const plain = text.replaceAll(' ,', '')
  return TAKES_BACK.test(plain) || INTERRUPTS.test(text) || (isOneOfSeveral && REPLACES.test(plain))
}
