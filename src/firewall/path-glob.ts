/** How a pattern is read. */
interface GlobOptions {
  /** True when a wildcard at the start of a name fits a dot as well. */
  readonly dot: boolean
}

/** One sign of a pattern for a name. */
type Sign =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'set'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] }

/** `**`: any number of names. */
type Part = 'names' | readonly Sign[]

/** More alternatives than this are no pattern that a person means. */
const MAX_ALTERNATIVES = 64

/**
 * Makes a test for paths from `*`, `?`, `[…]`, `{a,b}` and `**`, or says why the pattern cannot be read. A test takes at
 * most the product of both lengths, whatever the pattern: no regular expression is made of what an agent wrote.
 */
export function pathGlob(pattern: string, { dot }: GlobOptions): ((path: string) => boolean) | string {
  const spelled = alternatives(pattern)
  if (spelled === undefined) return `the pattern has more than ${MAX_ALTERNATIVES} alternatives`
  const choices = spelled.map((each) => namesIn(each).map(partOf))
  return (path) => {
    const names = namesIn(path)
    return choices.some((parts) =>
      fitsStarred(
        parts,
        names,
        (part) => part === 'names',
        (part, name) => part !== 'names' && fitsName(part, name, dot),
      ),
    )
  }
}

const namesIn = (path: string): readonly string[] => path.split('/').filter((name) => name !== '' && name !== '.')

/** Every spelling without braces; undefined when there are too many. */
function alternatives(pattern: string): readonly string[] | undefined {
  const done: string[] = []
  const ahead = [pattern]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const braces = firstBraces(next)
    if (braces === undefined) done.push(next)
    else for (const option of braces.options) ahead.push(braces.before + option + braces.after)
    if (done.length + ahead.length > MAX_ALTERNATIVES) return undefined
  }
  return done
}

interface Braces {
  readonly before: string
  readonly options: readonly string[]
  readonly after: string
}

/** The first pair of braces that holds a comma; any other brace stands for itself. */
function firstBraces(pattern: string): Braces | undefined {
  for (let start = pattern.indexOf('{'); start !== -1; start = pattern.indexOf('{', start + 1)) {
    const commas = closedAt(pattern, start)
    if (commas === undefined || commas.length < 2) continue
    const end = commas.at(-1) ?? start
    const options = commas.map((comma, at) => pattern.slice((commas[at - 1] ?? start) + 1, comma))
    return { before: pattern.slice(0, start), options, after: pattern.slice(end + 1) }
  }
  return undefined
}

/** The commas between a brace and its end, then the end; undefined when it has none. */
function closedAt(pattern: string, start: number): readonly number[] | undefined {
  const commas: number[] = []
  let depth = 0
  for (let at = start; at < pattern.length; at++) {
    const char = pattern[at]
    if (char === '{') depth++
    else if (char === '}' && --depth === 0) return [...commas, at]
    else if (char === ',' && depth === 1) commas.push(at)
  }
  return undefined
}

function partOf(name: string): Part {
  if (name === '**') return 'names'
  const chars = Array.from(name)
  const signs: Sign[] = []
  for (let at = 0; at < chars.length; at++) {
    const { sign, end } = setAt(chars, at) ?? escapedAt(chars, at) ?? { sign: plainSign(chars[at] ?? ''), end: at }
    signs.push(sign)
    at = end
  }
  return signs
}

/** A sign and the place of its last character. */
interface Placed {
  readonly sign: Sign
  readonly end: number
}

function escapedAt(chars: readonly string[], at: number): Placed | undefined {
  const char = chars[at] === '\\' ? chars[at + 1] : undefined
  return char === undefined ? undefined : { sign: { kind: 'char', char }, end: at + 1 }
}

function plainSign(char: string): Sign {
  if (char === '*') return { kind: 'star' }
  return char === '?' ? { kind: 'any' } : { kind: 'char', char }
}

function setAt(chars: readonly string[], start: number): Placed | undefined {
  if (chars[start] !== '[') return undefined
  const negated = chars[start + 1] === '!' || chars[start + 1] === '^'
  const first = start + (negated ? 2 : 1)
  // A bracket right at the start belongs to the set.
  const end = chars.indexOf(']', first + 1)
  if (end === -1) return undefined
  return { sign: { kind: 'set', negated, ranges: rangesIn(chars.slice(first, end)) }, end }
}

function rangesIn(chars: readonly string[]): readonly (readonly [low: string, high: string])[] {
  const ranges: (readonly [string, string])[] = []
  for (let at = 0; at < chars.length; at++) {
    const low = chars[at] ?? ''
    const high = chars[at + 1] === '-' ? chars[at + 2] : undefined
    ranges.push([low, high ?? low])
    if (high !== undefined) at += 2
  }
  return ranges
}

function fitsName(signs: readonly Sign[], name: string, dot: boolean): boolean {
  const [first] = signs
  if (!dot && name.startsWith('.') && first?.kind !== 'char') return false
  return fitsStarred(signs, Array.from(name), (sign) => sign.kind === 'star', fitsChar)
}

function fitsChar(sign: Sign, char: string): boolean {
  switch (sign.kind) {
    case 'star':
    case 'any':
      return true
    case 'char':
      return sign.char === char
    case 'set':
      return sign.ranges.some(([low, high]) => low <= char && char <= high) !== sign.negated
  }
}

/** Goes back to the last star only: whatever an earlier one could take besides, the last one can take as well. */
function fitsStarred<Token, Item>(
  tokens: readonly Token[],
  items: readonly Item[],
  isStar: (token: Token) => boolean,
  fits: (token: Token, item: Item) => boolean,
): boolean {
  let [at, star, resume] = [0, -1, 0]
  for (let item = 0; item < items.length;) {
    const [token, given] = [tokens[at], items[item]]
    if (token !== undefined && isStar(token)) {
      star = at++
      resume = item
    } else if (token !== undefined && given !== undefined && fits(token, given)) {
      at++
      item++
    } else if (star === -1) return false
    else {
      at = star + 1
      item = ++resume
    }
  }
  return tokens.slice(at).every(isStar)
}
