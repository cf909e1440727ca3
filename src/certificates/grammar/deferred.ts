import { isMonth, isTimeUnit } from './dates.ts'
import { CONDITIONALS, HYPOTHETICALS, wordAt } from './words.ts'

/** Some other time, again and again, or only if: a wish that nobody can carry out now. */
const LATER =
  /^(?:later|eventually|someday|sometime|afterwards|tonight|payday|christmas|easter|noon|midnight|o'clock|pm|until|while|whilst|depending|depends|contingent|conditional|subject|senere|seinare|seinere|etterpå|ettersom|lønningsdag|lønning|jul|påske|avhengig|avhenger|mens|medan|forutsatt|føresett)$/
const OFTEN =
  /^(?:annually|hourly|regularly|always|automatically|continuously|repeatedly|alltid|jevnlig|jamleg|regelmessig|automatisk|fortløpende)$/
const PHRASES =
  / (?:as long as|so long as|in case|in the event|on condition|on the condition|given that|only if|even if|if ever|as and when|as needed|based on|subject to|in the (?:future|evening|afternoon|morning)|one day|on the (?:first|last|\d\w*)|(?:the|that) (?:moment|minute|instant|second|day|time) (?:he|she|they|i|we|it|you|bob)|over (?:\w+ ){1,2}(?:days|weeks|months|years)|one day|some day|down the line|så lenge|så lengje|i kveld|i natt|i tilfelle|i fall|ifall|ved behov|på sikt|om litt|i framtiden|i fremtiden|i framtida|en dag|ein dag|basert på|med mindre|under forutsetning|på vilkår|etter hvert|etter kvart) /
/** "500 kr a day", "/month", "i timen", "per week"; "a week ago" is the past. */
const RATE = /^(?:a|an|\/|per|pr|i|om|each|every|hver|hvert|kvar|kvart)$/
const RATED =
  /^(?:hour|day|week|fortnight|month|quarter|year|person|head|time|timen|dagen|døgnet|uka|uken|veka|måneden|månaden|måned|månad|kvartalet|året)$/
const PAST = /^(?:ago|siden|sidan|earlier|before)$/
/** "After that" goes on; "after payday" waits. */
const WAITS = /^(?:after|before|etter|før|upon|till|til)$/
const GOES_ON = /^(?:that|this|it|det|dette|all|tax|taxes|fees|skatt)$/
const INVERTED = /^(?:should|were|had|skulle)$/
const SUBJECT = /^(?:i|he|she|they|we|it|you|bob|anyone|anybody|jeg|eg|han|hun|ho|de|dei|vi|det|noen|nokon)$/

/** Whether the words of a wish put it off or tie it to something. */
export const isDeferred = (words: readonly string[]): boolean =>
  PHRASES.test(` ${words.join(' ')} `) || words.some((word, at) => LATER.test(word) || defersAt(words, word, at))

/** Whether the words of a wish make it many: what a plan may be, and a payment may not. */
export const isRepeated = (words: readonly string[]): boolean =>
  words.some((word, at) => {
    const [next, third] = [wordAt(words, at + 1), wordAt(words, at + 2)]
    return (
      OFTEN.test(word) || (RATE.test(word) && RATED.test(next) && !PAST.test(third) && `${word} ${next}` !== 'i time')
    )
  })

function defersAt(words: readonly string[], word: string, at: number): boolean {
  const next = wordAt(words, at + 1)
  if (word === 'in' || word === 'i') return isMonth(next)
  if (at > 0 && INVERTED.test(word)) return SUBJECT.test(next)
  return isWaiting(word, next)
}

function isWaiting(word: string, next: string): boolean {
  if (/^(?:after|before|etter|før|upon)$/.test(word)) return next !== '' && !GOES_ON.test(next)
  return /^(?:on|på|ved)$/.test(word) && EVENTS.test(next)
}
const EVENTS = /^(?:payday|arrival|delivery|receipt|request|demand|forespørsel|førespurnad|levering|mottak)$/

/** Words before a wish: "next week, …". Whether they are a condition is seen elsewhere. */
export const namesTime = (words: readonly string[]): boolean => words.some(isTimeWord) || isDeferred(words)

/** A sentence of its own behind a wish: "Tomorrow.", "But only if he asks." */
export function opensLater(words: readonly string[]): boolean {
  const from = words.findIndex((word) => !LEADS.test(word))
  const start = from === -1 ? [] : words.slice(from, from + 3)
  return namesTime(start) || start.slice(0, 1).some(isLimit)
}
const LEADS = /^(?:but|and|only|just|then|so|please|men|og|bare|berre|kun|da|så|,)$/
const isTimeWord = (word: string): boolean =>
  isTimeUnit(word) || (isMonth(word) && word !== 'may') || /^(?:tomorrow|imorgen|imorgon|morgen|morgon)$/.test(word)
const isLimit = (word: string): boolean => CONDITIONALS.has(word) || HYPOTHETICALS.has(word) || WAITS.test(word)
