import { isMonth, isTimeUnit } from './dates.ts'
import { currencyOf } from './money.ts'
import { nounOf } from './nouns.ts'
import { readSpoken } from './numbers.ts'
import { isVerbWord, verbAt } from './verbs.ts'
import * as words from './words.ts'

const SETS: readonly ReadonlySet<string>[] = [
  words.FILLERS,
  words.NEGATIONS,
  words.REPORTED_NEGATIONS,
  words.STOPS,
  words.CONDITIONALS,
  words.HYPOTHETICALS,
  words.QUESTIONS,
  words.MODALS,
  words.CONNECTORS,
  words.TRANSPARENT,
  words.ME,
  words.THEM,
  words.ANAPHORA,
  words.VAGUE_AMOUNTS,
  words.APPROXIMATE,
  words.REPEATED,
  words.DOCUMENTS,
  words.MONEY_WORDS,
  words.PAYMENT_WORDS,
  words.ACCESS_WORDS,
  words.COMMON,
]
const KNOWN: ReadonlySet<string> = new Set([
  ...SETS.flatMap((each) => [...each]),
  ...Object.keys(words.PREPOSITIONS),
  ...Object.keys(words.ROLE_NOUNS),
])

/** A word that the grammar has met: a message made of such words is parsed whole. Names are not in it. */
export const isKnown = (word: string): boolean =>
  KNOWN.has(word) ||
  isVerbWord(word) ||
  nounOf(word) !== undefined ||
  isMonth(word) ||
  isTimeUnit(word) ||
  currencyOf(word, undefined) !== undefined ||
  readSpoken([word], 0) !== undefined

const NYNORSK = new Set(
  'eg ikkje kva kor korleis kven kvifor frå mykje noko utan ein eit dei hjå vere berre saman måndag laurdag tysdag rekning rekninga rekningar kontoar månad månaden veke kronar pengar pengane mottakar sjå gjer gje lønskonto vekene ifrå òg kvar'.split(
    ' ',
  ),
)
const BOKMAAL = new Set(
  'jeg ikke hva hvor hvordan hvem hvorfor hvilken hvilke fra mye noe uten en et de hos være bare sammen mandag lørdag tirsdag regning regningen regninger kontoer måned måneden uke penger pengene mottaker se gjør gi lønnskonto hver åpne endre fortell'.split(
    ' ',
  ),
)
const NORWEGIAN = new Set(
  'og til på kr kroner min mi mitt mine kontoen konto sparekontoen sparekonto brukskonto saldo saldoen faktura fakturaen siste vis betal send overfør flytt kan du vil er det som den med om så deretter hei takk vennligst oppsummer slett oppdater sjekk les hent finn felleskontoen vipps refunder opprett bytt øk ja nei aldri'.split(
    ' ',
  ),
)
const ENGLISH = new Set(
  "the my a to from and please show pay send what is how much you can of for transfer move don't not it account savings balance invoice latest list read check give me update change delete cancel create set up yes no summarize summarise".split(
    ' ',
  ),
)

/** The language that most words belong to; Norwegian words decide between its two written forms. */
export function languageOf(lower: readonly string[]): 'en' | 'nb' | 'nn' | 'unknown' {
  const count = (set: ReadonlySet<string>): number => lower.filter((word) => set.has(word)).length
  const verbs = lower.map((word) => verbAt([word], 0)).filter((verb) => verb !== undefined && verb.form !== 'other')
  const english = count(ENGLISH) + verbs.filter((verb) => verb?.language === 'en').length
  const [bokmaal, nynorsk] = [count(BOKMAAL), count(NYNORSK)]
  const norwegian = count(NORWEGIAN) + bokmaal + nynorsk + verbs.filter((verb) => verb?.language !== 'en').length
  if (english === 0 && norwegian === 0) return 'unknown'
  if (english > norwegian || (english === norwegian && bokmaal + nynorsk === 0)) return 'en'
  return nynorsk > bokmaal ? 'nn' : 'nb'
}
