import { phraseAt, phrases } from './phrases.ts'

/** Ways to ask for something politely: an order follows, in the infinitive. Longest first by lookup. */
const OPENINGS = phrases([
  ...['can', 'could', 'would', 'will'].flatMap((modal) => [
    `${modal} you`,
    `${modal} u`,
    `${modal} you please`,
    `${modal} you kindly`,
  ]),
  'can you help me',
  'could you help me',
  'can you help me to',
  'could you help me to',
  'would you mind',
  ...["i'd", 'i would'].flatMap((who) => [
    `${who} appreciate it if you could`,
    `${who} really appreciate it if you could`,
    `${who} be grateful if you could`,
    `${who} be very grateful if you could`,
    `${who} be happy if you could`,
  ]),
  ...['it would be', 'it would be really', 'it would be very', "it'd be", 'would be', 'that would be'].flatMap(
    (start) =>
      ['great', 'good', 'nice', 'lovely', 'helpful', 'kind', 'awesome', 'perfect'].map(
        (praise) => `${start} ${praise} if you could`,
      ),
  ),
  ...['i was wondering if you could', "i'm wondering if you could", 'wondering if you could', 'i wonder if you could'],
  ...['do you think you could', 'any chance you could', 'is there any chance you could', 'would you be able to'],
  ...['would you be so kind as to', 'would you be kind enough to', 'could you be so kind as to', 'could you possibly'],
  ...['can i please', 'could i please', 'may i please', 'can we please', 'could we please'],
  'i want to',
  'i want you to',
  "i'd like to",
  "i'd like you to",
  'i would like to',
  'i would like you to',
  'i wish to',
  'i need to',
  'i need you to',
  'id like to',
  'help me',
  'help me to',
  'make sure to',
  'make sure you',
  'make sure that you',
  'be sure to',
  "let's",
  'lets',
  'go ahead and',
  'you should',
  'you can',
  'you may',
  'i wanna',
  'we need to',
  'we want to',
  'be so kind and',
  'be so kind as to',
  'be kind and',
  "i'd love to",
  "i'd love for you to",
  'i would love for you to',
  "i'd like for you to",
  "i'd love you to",
  'i would love to',
  'try to',
  'feel free to',
  ...['kan', 'kunne', 'vil', 'ville'].flatMap((modal) => [
    `${modal} du`,
    `${modal} du vennligst`,
    `${modal} du gjerne`,
  ]),
  ...['jeg', 'eg', 'vi'].flatMap((who) => [
    `${who} vil`,
    `${who} vil gjerne`,
    `${who} ønsker å`,
    `${who} ønskjer å`,
    `${who} trenger å`,
    `${who} treng å`,
    `${who} vil at du skal`,
    `${who} ønsker at du skal`,
    `${who} har lyst til å`,
    `${who} ville gjerne`,
    `${who} må få`,
  ]),
  ...['hadde', 'hadde det', 'det hadde', 'det ville', 'ville', 'det er', 'det vore', 'det hadde vore'].flatMap(
    (start) =>
      ['', 'vært ', 'vore ', 'være ', 'vere '].flatMap((been) =>
        ['fint', 'flott', 'bra', 'topp', 'supert', 'hyggelig', 'hyggeleg', 'greit'].flatMap((praise) =>
          ['om du kunne', 'hvis du kunne', 'dersom du kunne', 'viss du kunne'].map(
            (end) => `${start} ${been}${praise} ${end}`,
          ),
        ),
      ),
  ),
  ...['kunne du være så snill å', 'kunne du vere så snill å', 'vil du være så snill å', 'vil du vere så snill å'],
  ...['jeg setter pris på om du kan', 'jeg setter pris på om du kunne', 'eg set pris på om du kan'],
  'kan du hjelpe meg å',
  'kan du hjelpe meg med å',
  'kan du hjelpa meg med å',
  'kan du hjelpa meg å',
  'hjelp meg å',
  'hjelp meg med å',
  'kan du være så snill å',
  'kan du vere så snill å',
  'kan du være så snill og',
  'vær så snill å',
  'vær så snill og',
  'ver så snill å',
  'ver så snill og',
  'ver så god å',
  'vær så god å',
  'vær så snill',
  'ver så snill',
  'sørg for å',
  'syt for å',
  'pass på å',
  'du kan',
  'du må',
])

/** How many words of an opening stand at a place; 0: none. */
export const openingAt = (words: readonly string[], at: number): number => phraseAt(OPENINGS, words, at)

/** Ask for leave, and behind a "please" for the thing itself. */
const LEAVES = phrases([
  ...['can', 'could', 'may', 'might'].flatMap((modal) =>
    ['i', 'we', 'i just', 'i also'].map((who) => `${modal} ${who}`),
  ),
  ...['kan', 'kunne'].flatMap((modal) => ['jeg', 'eg', 'vi'].map((who) => `${modal} ${who}`)),
])

/** How many words at a place ask for leave to do something; 0: none. */
export const leaveAt = (words: readonly string[], at: number): number => phraseAt(LEAVES, words, at)
