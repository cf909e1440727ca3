import { openingAt } from './openings.ts'
import { phraseAt, phrases } from './phrases.ts'
import type { Token } from './tokens.ts'
import { verbAt } from './verbs.ts'
import { FILLERS, POLITE, wordAt } from './words.ts'

/**
 * Conditions that only ask nicely. "If it is fine" is none: "it" may be the invoice. What stands here speaks of the
 * assistant's trouble, leave or time, and of nothing that could be so or not.
 */
const ASIDES = phrases([
  ...["don't mind", 'dont mind', 'do not mind', "wouldn't mind", 'would not mind', 'would', 'could', 'can', 'please']
    .map((end) => `if you ${end}`)
    .concat(['if you would be so kind', 'if you could be so kind', "if you'd be so kind", 'if i may', 'if i may ask']),
  ...["it isn't", 'it isnt', "it's not", 'its not', 'it is not', "that isn't", "that's not", 'that is not'].flatMap(
    (is) =>
      [
        'too much trouble',
        'too much bother',
        'too much hassle',
        'too much to ask',
        'a bother',
        'any trouble',
        'any bother',
      ].map((end) => `if ${is} ${end}`),
  ),
  ...["it's", 'its', 'it is', "that's", 'that is'].flatMap((is) => [
    ...[`if ${is} no trouble`, `if ${is} no bother`, `if ${is} no hassle`],
    ...['ok', 'okay', 'alright', 'all right', 'fine'].map((end) => `if ${is} ${end} with you`),
  ]),
  ...['when you have', 'when you get', 'whenever you have', 'whenever you get', 'once you have', 'if you have'].flatMap(
    (when) =>
      ['a moment', 'a minute', 'a second', 'a sec', 'a chance', 'time', 'the time', 'the chance'].map(
        (end) => `${when} ${end}`,
      ),
  ),
  ...['hvis', 'dersom', 'viss', 'om'].flatMap((condition) =>
    [
      ...['det ikke er for mye bry', 'det ikke er for mye', 'det ikke er for mye forlangt', 'det ikke er til bry'],
      ...[
        'det ikkje er for mykje bry',
        'det ikkje er for mykje',
        'det ikkje er til bry',
        'det ikkje er for mykje å be om',
      ],
      ...[
        'det er greit for deg',
        'det passer for deg',
        'det passar for deg',
        'det går bra for deg',
        'det er ok for deg',
      ],
      ...[
        'du har tid',
        'du kan',
        'du vil være så snill',
        'du vil vere så snill',
        'du er snill',
        'jeg får be',
        'eg får be',
      ],
    ].map((end) => `${condition} ${end}`),
  ),
  ...[
    'når du har tid',
    'når du får tid',
    'når du har et øyeblikk',
    'når du har ein augneblink',
    'når du har anledning',
  ],
  ...['når du har mulighet', 'når du har høve', 'når det passer deg', 'når det passar deg', 'når det passer for deg'],
])

/** Thanks and excuses of more than one word; some of them hold a number, "tusen takk". */
const THANKS = phrases([
  ...['tusen takk', 'tusen hjertelig takk', 'mange takk', 'takk på forhånd', 'på forhånd takk', 'takk på førehand'],
  ...['på førehand takk', 'takk skal du ha', 'takk så mye', 'takk så mykje', 'tusen takk for hjelpen'],
  ...['tusen takk for hjelpa', 'takk for hjelpen', 'takk for hjelpa', 'tusen takk på forhånd'],
  ...['thanks', 'thank you', 'thx', 'many thanks'].flatMap((thanks) =>
    ['a lot', 'so much', 'very much', 'a bunch', 'a million', 'in advance', 'for your help', 'for the help'].map(
      (end) => `${thanks} ${end}`,
    ),
  ),
  ...['many thanks', 'much appreciated', 'much obliged', 'have a nice day', 'have a good day', 'have a great day'],
])

/** Before an aside: it is what somebody is to find out, not a courtesy. */
const ASKING =
  /^(?:know|me|see|ask|check|tell|out|wonder|wondering|vite|vita|si|sei|se|sjå|sjekk|fortell|fortel|spør|lurer)$/

const OTHERWISE = /^(?:otherwise|else|ellers|elles)$/

/** The tokens without the courtesies that would read as conditions, numbers or names, and without their commas. */
export function withoutCourtesies(tokens: readonly Token[]): readonly Token[] {
  const words = tokens.map(({ kind, lower }) => (kind === 'word' ? lower : ''))
  // "If you can, and otherwise …" is a choice after all.
  if (words.some((word) => OTHERWISE.test(word))) return tokens
  const kept: Token[] = []
  let at = 0
  while (at < tokens.length) {
    const length = courtesyAt(tokens, words, at)
    if (length === 0) {
      kept.push(...tokens.slice(at, at + 1))
      at += 1
    } else {
      at += length
      if (!isComma(tokens[at]) || !isEdge(kept.at(-1))) continue
      if (isComma(kept.at(-1))) kept.pop()
      at += 1
    }
  }
  return kept
}

const isComma = (token: Token | undefined): boolean => token?.text === ','
const isEdge = (token: Token | undefined): boolean =>
  token === undefined || token.kind === 'break' || token.kind === 'block' || isComma(token)

/** How many tokens a courtesy takes at a place; 0: none stands there. */
function courtesyAt(tokens: readonly Token[], words: readonly string[], at: number): number {
  const thanks = phraseAt(THANKS, words, at)
  if (thanks > 0) return isEdge(tokens[at + thanks]) ? thanks : 0
  const aside = phraseAt(ASIDES, words, at)
  if (aside === 0) return 0
  const isAside = isEdge(tokens[at + aside])
    ? !ASKING.test(wordAt(words, at - 1))
    : opensSentence(tokens, words, at) && opensOrder(words, at + aside)
  return isAside ? aside : 0
}

const opensSentence = (tokens: readonly Token[], words: readonly string[], at: number): boolean =>
  isEdge(tokens[at - 1]) || FILLERS.has(wordAt(words, at - 1))
const opensOrder = (words: readonly string[], at: number): boolean =>
  POLITE.has(wordAt(words, at)) || openingAt(words, at) > 0 || verbAt(words, at)?.form === 'base'
