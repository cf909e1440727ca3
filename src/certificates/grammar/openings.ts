/** Ways to ask for something politely: an order follows, in the infinitive. Longest first by lookup. */
const OPENINGS = [
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
  ]),
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
].map((opening) => opening.split(' '))

const BY_FIRST = group(OPENINGS)

function group(openings: readonly (readonly string[])[]): ReadonlyMap<string, readonly (readonly string[])[]> {
  const groups = new Map<string, (readonly string[])[]>()
  for (const opening of openings.toSorted((a, b) => b.length - a.length)) {
    const first = opening[0] ?? ''
    groups.set(first, [...(groups.get(first) ?? []), opening])
  }
  return groups
}

/** How many words of an opening stand at a place; 0: none. */
export function openingAt(words: readonly string[], at: number): number {
  const candidates = BY_FIRST.get(words[at] ?? '') ?? []
  return candidates.find((opening) => opening.every((word, offset) => words[at + offset] === word))?.length ?? 0
}
