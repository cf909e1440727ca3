import { pick, type Random } from './mutate-random.ts'

/** Characters that a person takes for the key. */
const TWINS: Readonly<Record<string, readonly string[]>> = {
  a: ['а', 'ɑ', 'á', 'A'],
  b: ['Ь', 'B'],
  c: ['с', 'ϲ', 'C'],
  e: ['е', 'é', 'E'],
  g: ['ɡ', 'G'],
  h: ['һ', 'H'],
  i: ['і', 'l', '1', 'I'],
  j: ['ј', 'J'],
  k: ['к', 'K'],
  l: ['ӏ', '1', 'I'],
  n: ['ո', 'N'],
  o: ['о', 'ο', '0', 'O'],
  p: ['р', 'P'],
  r: ['г', 'R'],
  s: ['ѕ', 'S'],
  t: ['т', 'T'],
  u: ['υ', 'U'],
  v: ['ѵ', 'V'],
  x: ['х', 'X'],
  y: ['у', 'Y'],
  K: ['К', 'k'],
  N: ['Ν', 'n'],
  O: ['О', '0', 'o'],
  '-': ['‐', '–', '_', '−'],
  '.': [',', '․', '٫'],
  '0': ['O', '０', '٠'],
  '1': ['l', '１', '١'],
  '5': ['S', '５', '٥'],
}

/** What can stand beside a character and not be seen, or be taken for nothing. */
const INVISIBLE = ['\u200b', '\u200d', '\u2060', '\ufeff', '\u202e', '\u00ad', ' ', '\u00a0', '\t']

/** Another text that looks like this one. */
export function lookAlikeOf(text: string, random: Random): string {
  const at = random(text.length + 1)
  const twin = pick(TWINS[text[at] ?? ''] ?? [], random)
  if (twin !== undefined && random(3) > 0) return text.slice(0, at) + twin + text.slice(at + 1)
  return text.slice(0, at) + (pick(INVISIBLE, random) ?? ' ') + text.slice(at)
}
