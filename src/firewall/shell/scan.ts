/** A piece of a line, as our own scanner reads it. */
export type Token =
  | { readonly kind: 'word'; readonly value: string; readonly plain: boolean }
  /** A word that a shell replaces by the names of files. `expands`: false when it means the same in either form. */
  | { readonly kind: 'pattern'; readonly value: string; readonly expands: boolean }
  | { readonly kind: 'joint'; readonly sign: '|' | '&&' | '||' | ';' }
  | { readonly kind: 'redirect'; readonly descriptor: '' | '0' | '1' | '2'; readonly sign: '<' | '>' | '>>' }
  | { readonly kind: 'join'; readonly descriptor: '1' | '2'; readonly into: '1' | '2' }

/** The tokens of a line, or what in it is not literal. */
export type Scan =
  { readonly ok: true; readonly tokens: readonly Token[] } | { readonly ok: false; readonly detail: string }

const BLANK = /[ \t]+/y
const JOINT = /(?:\|\||&&|\||;)(?![|&;])/y
const JOIN = /[12]?>&[12](?![^ \t;|&])/y
const REDIRECT = /[012]?(?:>>|>|<)(?![<>&|(])/y
const SAFE = /[A-Za-z0-9_%+,\-./:=@]+/y
const SINGLE = /'([^']*)'/y
const DOUBLE = /"((?:[^"\\$`!]|\\[^$`!])*)"/y
const ESCAPED = /\\([ -~])/y
// bash takes these as they are, and so does zsh with its own defaults: `HEAD~2`, `v1.0^`, `HEAD^:a.ts`, `topic~1..HEAD`,
// `HEAD~3..`, `HEAD@{1}`, `@{u}..HEAD`, `v1.0^{commit}`, after `git` only: braces around one word without a comma or dots
// are text. Names are short, because each may end at any of its dots.
const BASE = '(?:[A-Za-z0-9_][A-Za-z0-9_./-]{0,99}|@(?=[~^.])|@\\{(?:[a-z]{1,9}|-?\\d{1,5})\\})'
const STEPS = '(?:[~^]\\d{0,5}|@\\{(?:[a-z]{1,9}|-?\\d{1,5})\\}|\\^\\{[a-z]{0,6}\\}){0,20}'
const REVISION = new RegExp(`${BASE}${STEPS}(?:\\.{2,3}(?:${BASE}${STEPS})?|:[A-Za-z0-9_\\-./]*)?(?![^ \\t;|&])`, 'y')
// A lone `!` between blanks is a word for every shell, unless it stands where a program is expected.
const NOT = /!(?=[ \t])/y

/**
 * Takes a line apart as bash would, and refuses whatever bash would not take literally. Knows four kinds of text (safe
 * characters, both quotes, a backslash) and few signs; everything else ends the scan. Spec: section 2.4.
 */
export function scanLine(line: string): Scan {
  const tokens: Token[] = []
  let program: string | undefined
  for (let at = skip(BLANK, line, 0); at < line.length; at = skip(BLANK, line, at)) {
    const found = tokenAt(line, at, program)
    if (found === undefined) return { ok: false, detail: `the character at ${at} is not taken literally by a shell` }
    program = programAfter(found.token, program, tokens.at(-1))
    tokens.push(found.token)
    at = found.end
  }
  return { ok: true, tokens }
}

interface Found {
  readonly token: Token
  readonly end: number
}

function tokenAt(line: string, at: number, program: string | undefined): Found | undefined {
  const own = program === undefined ? undefined : OWN_WORDS.get(program)
  const found = sign(line, at) ?? (own === undefined ? undefined : ownWord(own, line, at)) ?? word(line, at)
  return found ?? (program === undefined ? undefined : pattern(program, line, at))
}

/** The program whose words are being read; the word after a redirect is a file. */
function programAfter(token: Token, program: string | undefined, before: Token | undefined): string | undefined {
  if (token.kind === 'joint') return undefined
  return token.kind === 'word' && before?.kind !== 'redirect' ? (program ?? token.value) : program
}

const JOINTS: ReadonlyMap<string, Token> = new Map<string, Token>(
  (['|', '&&', '||', ';'] as const).map((sign) => [sign, { kind: 'joint', sign }]),
)
const JOINS: ReadonlyMap<string, Token> = new Map<string, Token>([
  ['>&1', { kind: 'join', descriptor: '1', into: '1' }],
  ['>&2', { kind: 'join', descriptor: '1', into: '2' }],
  ['1>&1', { kind: 'join', descriptor: '1', into: '1' }],
  ['1>&2', { kind: 'join', descriptor: '1', into: '2' }],
  ['2>&1', { kind: 'join', descriptor: '2', into: '1' }],
  ['2>&2', { kind: 'join', descriptor: '2', into: '2' }],
])
const REDIRECTS: ReadonlyMap<string, Token> = new Map<string, Token>(
  (['', '0', '1', '2'] as const).flatMap((descriptor) =>
    (['<', '>', '>>'] as const).map((sign) => [descriptor + sign, { kind: 'redirect', descriptor, sign }] as const),
  ),
)

function sign(line: string, at: number): Found | undefined {
  return signOf(JOINT, JOINTS, line, at) ?? signOf(JOIN, JOINS, line, at) ?? signOf(REDIRECT, REDIRECTS, line, at)
}

function signOf(pattern: RegExp, signs: ReadonlyMap<string, Token>, line: string, at: number): Found | undefined {
  const found = match(pattern, line, at)?.[0] ?? ''
  const token = signs.get(found)
  return token === undefined ? undefined : { token, end: at + found.length }
}

/** What a program's own language holds that is text for a shell although it has signs of a shell. */
const OWN_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ['git', REVISION],
  ['find', NOT],
])

function ownWord(pattern: RegExp, line: string, at: number): Found | undefined {
  const found = match(pattern, line, at)
  return found === undefined
    ? undefined
    : { token: { kind: 'word', value: found[0], plain: true }, end: at + found[0].length }
}

// A folder as it is, then a name with wildcards. Nothing that it matches starts with a dash or is taken for an option.
const PATTERN = /(?:[\w.@+-]*\/)*[\w@+-]*[*?][\w.@+*?-]*(?![^ \t;|&<>])/y
const STARTS = /^(?:[A-Za-z0-9_]|\.{0,2}\/)/
// grep looks at files with this end, and a file of this name in the folder would only name fewer of them.
const INCLUDE = /--include=\*[\w.-]+(?![^ \t;|&<>])/y

/** A pattern over the files of one folder that leaves out what starts with a dot, as every shell does. */
function pattern(program: string, line: string, at: number): Found | undefined {
  const included = program === 'grep' ? match(INCLUDE, line, at)?.[0] : undefined
  if (included !== undefined) {
    return { token: { kind: 'pattern', value: included, expands: false }, end: at + included.length }
  }
  const value = match(PATTERN, line, at)?.[0]
  if (value === undefined || !STARTS.test(value) || value.includes('**')) return undefined
  return { token: { kind: 'pattern', value, expands: true }, end: at + value.length }
}

/** Joins adjacent pieces to one word. zsh looks up a word that starts with `=`. */
function word(line: string, at: number): Found | undefined {
  if (line.charCodeAt(at) === EQUALS) return undefined
  let value = ''
  let plain = true
  let end = at
  for (let piece = pieceAt(line, end); piece !== undefined; piece = pieceAt(line, end)) {
    value += piece.value
    plain &&= piece.plain
    end += piece.length
  }
  if (end === at || !endsWord(line, end)) return undefined
  // `3>x` is a redirect of descriptor 3 for a shell, not the word `3`.
  const isDescriptor = /^\d+$/.test(line.slice(at, end)) && /[<>]/.test(line.charAt(end))
  return isDescriptor ? undefined : { token: { kind: 'word', value, plain }, end }
}
const EQUALS = 61

const endsWord = (line: string, at: number): boolean => at >= line.length || ' \t;|&<>'.includes(line.charAt(at))

interface Piece {
  readonly value: string
  readonly plain: boolean
  readonly length: number
}

function pieceAt(line: string, at: number): Piece | undefined {
  const safe = match(SAFE, line, at)
  if (safe !== undefined) return { value: safe[0], plain: true, length: safe[0].length }
  const single = match(SINGLE, line, at)
  if (single !== undefined) return { value: single[1] ?? '', plain: false, length: single[0].length }
  const double = match(DOUBLE, line, at)
  if (double !== undefined) {
    // Before any other character a backslash in double quotes stays.
    return { value: (double[1] ?? '').replace(/\\(["\\])/g, '$1'), plain: false, length: double[0].length }
  }
  const escaped = match(ESCAPED, line, at)
  return escaped === undefined ? undefined : { value: escaped[1] ?? '', plain: false, length: 2 }
}

function match(pattern: RegExp, line: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(line) ?? undefined
}

const skip = (pattern: RegExp, line: string, at: number): number => at + (match(pattern, line, at)?.[0].length ?? 0)
