import { verbAt, type Verb } from './verbs.ts'
import { PREPOSITIONS, wordAt } from './words.ts'

/** Whom a payment is not for, or who else is to pay: the names in such a wish stand in no role that is known. */
const PHRASES =
  / (?:except|excepting|excluding|besides|bar|save for|apart from|aside from|other than|(?:anyone|anybody|everyone|everybody|someone|all|any|anything|everything|nothing|nobody|none|no one) (?:but|save)|but not|not only|on behalf of|in the name of|instead of|in place of|at the expense of|just like|like (?!last|before|usual|always|the last|that|this|every)\w+|unntatt|unnateke|unntatte|bortsett|foruten|utenom|utanom|alle andre|andre enn|andre enn|annet enn|anna enn|(?:alle|noen|ingen|alt|hvem som helst|kven som helst) men|på vegne av|på vegner av|på vegen av|i navnet til|i namnet til|i stedet for|i staden for) /
/** The subject's own things are "my": who says "your" is somebody who writes to the subject. */
const YOURS = /^(?:your|yours|din|ditt|dine|di|deres|dykkar)$/
/** Things that are handed over and are no money, whatever number stands beside them. */
const THINGS =
  /^(?:link|links|message|text|sms|mail|email|e-mail|letter|note|receipt|receipts|reminder|request|quote|offer|estimate|discount|voucher|coupon|invoice|invoices|bill|bills|statement|notice|notification|copy|confirmation|proof|demand|claim|screenshot|contract|lenke|lenkje|melding|meldinga|meldingen|tekst|epost|e-post|brev|brevet|notat|kvittering|kvitteringen|kvitteringa|påminnelse|påminning|forespørsel|førespurnad|krav|kravet|tilbud|tilbod|rabatt|rabatten|faktura|fakturaen|regning|regningen|regninga|rekning|rekninga|purring|varsel|bekreftelse|stadfesting|kopi)$/
const PASSED =
  /^(?:the|a|an|my|our|this|that|of|en|ei|et|ein|eit|den|det|denne|min|mi|mitt|kr|nok|kroner|kronor|new|short|small|\d[\d.,]*|hundred|thousand)$/

/** Whether the words behind a verb tell of somebody else's doing, of an exception, or of a thing that is no money. */
export function isOblique(verb: Verb, words: readonly string[]): boolean {
  if (PHRASES.test(` ${words.join(' ')} `) || words.some((word) => YOURS.test(word))) return true
  return verb.class === 'move_money' || verb.rule === 'make' ? isPaidByOther(words) || isThing(verb, words) : false
}

const FIGURE = /^\d|^(?:hundred|thousand|hundre|tusen)$/

/** "Make Bob pay 500", "a link to pay 500", "the guy who pays Bob": what is paid stands behind another verb. */
function isPaidByOther(words: readonly string[]): boolean {
  let isOther = false
  for (const [at, word] of words.entries()) {
    if (isOther && FIGURE.test(word)) return true
    if (WHO.test(word) && movesMoney(words, at + 1)) return true
    isOther ||= SAYING.test(word) || (movesMoney(words, at) && !isReportOrNoun(words, at))
  }
  return false
}
const WHO = /^(?:who|whoever|som|person|people|one|guy)$/
const SAYING = /^(?:saying|says|stating|asking|requesting|demanding|telling)$/
const movesMoney = (words: readonly string[], at: number): boolean => verbAt(words, at)?.class === 'move_money'

/** "The amount we paid" tells of the past; "a transfer of" is a thing. */
function isReportOrNoun(words: readonly string[], at: number): boolean {
  if (/^(?:a|an|the|one|bank|wire|by|via|my|monthly|en|ei|et|ein|med)$/.test(wordAt(words, at - 1))) return true
  return verbAt(words, at)?.form === 'other' && /(?:ed|t|tt|te|paid|gave|given)$/.test(wordAt(words, at))
}

/** "Send Bob the 500 kr invoice": the thing is the object; "for the invoice" and "with the message" are none. */
function isThing({ rule }: Verb, words: readonly string[]): boolean {
  if (rule !== 'send' && rule !== 'make') return false
  return words.some((word, at) => THINGS.test(word) && isObject(words, at)) && words.some((word) => FIGURE.test(word))
}

function isObject(words: readonly string[], at: number): boolean {
  let back = at - 1
  while (back >= 0 && PASSED.test(wordAt(words, back))) back -= 1
  const before = wordAt(words, back)
  return !Object.hasOwn(PREPOSITIONS, before) && !/^[,:]$/.test(before)
}
