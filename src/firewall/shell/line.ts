import { agrees } from './second-opinion.ts'
import { scanLine, type Token } from './scan.ts'
import type { Joint, Redirect, SpelledStage } from './stage.ts'

const MAX_LINE_BYTES = 32 * 1024
const MAX_WORDS = 1000
const MAX_WORD_BYTES = 8 * 1024
/** Of all words of a command that no line holds. */
const MAX_WORDS_CHARACTERS = 128 * 1024
const MAX_STAGES = 50
const PRINTABLE = /^[\t -~]*$/
// Blanks that a shell may or may not split at, and characters that nobody sees: a person could not judge such a line.
const HIDDEN = /(?![ ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}]/u
const RESERVED = new Set([
  ...['if', 'then', 'elif', 'else', 'fi', 'for', 'while', 'until', 'do', 'done', 'case', 'esac', 'select', 'function'],
  ...['time', 'coproc', 'in', 'foreach', 'end', 'repeat', 'nocorrect', 'noglob'],
])

/** A line's simple commands in order, or why it is not taken. `hint` is made from rules only. */
type LineReading =
  | { readonly ok: true; readonly stages: readonly SpelledStage[] }
  | { readonly ok: false; readonly detail: string; readonly hint: string }

/**
 * Reads a shell line as simple commands joined by `|`, `&&`, `||` and `;`, with every word exactly as bash would hand it to
 * the program. Two readers must agree on it: our own scanner, which knows literal text only, and a parser for bash.
 * Spec: section 2.4; weaknesses 7-9 and 12.
 */
export function readLine(line: string): LineReading {
  const problem = unfit(line)
  if (problem !== undefined) return refused(problem)
  const scan = scanLine(line)
  if (!scan.ok) return refused(scan.detail)
  const stages = assemble(scan.tokens)
  if (typeof stages === 'string') return refused(stages)
  return agrees(line, stages) ? { ok: true, stages } : refused('two readers of the line do not agree')
}

/** Why the words of a command, however it came, are too many or too long; undefined when they are not. */
export function tooLarge(argv: readonly string[]): string | undefined {
  if (argv.length > MAX_WORDS) return `more than ${MAX_WORDS} words`
  const isLong = (word: string): boolean =>
    word.length > MAX_WORD_BYTES || (word.length * 3 > MAX_WORD_BYTES && Buffer.byteLength(word) > MAX_WORD_BYTES)
  if (argv.reduce((sum, word) => sum + word.length, 0) > MAX_WORDS_CHARACTERS) return 'more than 128 KiB of words'
  return argv.some(isLong) ? `a word of more than ${MAX_WORD_BYTES} bytes` : undefined
}

const SPLIT =
  'Send one literal command, or several joined by |, &&, || or ;. Put text with signs into single quotes; spell a pattern ' +
  'over files with its folder, as ./*.ts or src/*.ts; split everything else (line breaks, variables, substitutions, ' +
  'heredocs, &) into separate simple calls.'

const refused = (detail: string): LineReading => ({ ok: false, detail, hint: SPLIT })

function unfit(line: string): string | undefined {
  if (line.length > MAX_LINE_BYTES || Buffer.byteLength(line) > MAX_LINE_BYTES) {
    return `a line of more than ${MAX_LINE_BYTES} bytes`
  }
  if (PRINTABLE.test(line)) return undefined
  return HIDDEN.test(line.replaceAll('\t', ' ')) ? 'a control character, or one that nobody sees' : undefined
}

interface Draft {
  readonly joint: Joint
  readonly argv: string[]
  readonly redirects: Redirect[]
  readonly expands: number[]
  readonly keeps: number[]
}

/** Makes commands of tokens; a text says what is wrong. */
function assemble(tokens: readonly Token[]): readonly SpelledStage[] | string {
  const stages: [Draft, ...Draft[]] = [draft(';')]
  for (const [at, token] of meant(tokens).entries()) {
    if (token.kind === 'joint') stages.push(draft(token.sign))
    const isTarget = tokens[at - 1]?.kind === 'redirect'
    const problem = isTarget ? undefined : add(token, stages.at(-1) ?? stages[0], tokens[at + 1])
    if (problem !== undefined) return problem
  }
  return flaw(stages) ?? stages
}

const draft = (joint: Joint): Draft => ({ joint, argv: [], redirects: [], expands: [], keeps: [] })

/** One `;` at the end joins nothing and means nothing. */
function meant(tokens: readonly Token[]): readonly Token[] {
  const last = tokens.at(-1)
  return last?.kind === 'joint' && last.sign === ';' ? tokens.slice(0, -1) : tokens
}

/** Adds a token to the command that it belongs to; a redirect comes with its file. A text says what is wrong. */
function add(token: Token, stage: Draft, next: Token | undefined): string | undefined {
  switch (token.kind) {
    case 'joint':
      return undefined
    case 'join':
      stage.redirects.push(joinOf(token))
      return undefined
    case 'redirect': {
      const redirect = next?.kind === 'word' ? redirectOf(token, next.value) : undefined
      if (redirect === undefined) return 'a redirect without its file, or of another descriptor'
      stage.redirects.push(redirect)
      return undefined
    }
    case 'word':
    case 'pattern':
      return addWord(token, stage)
  }
}

function addWord(token: Token & { kind: 'word' | 'pattern' }, { argv, expands, keeps }: Draft): string | undefined {
  const isFirst = argv.length === 0
  if (token.kind === 'pattern') {
    if (isFirst) return 'a pattern in the place of a program'
    const places = token.expands ? expands : keeps
    places.push(argv.length)
  } else if (isFirst && !isProgramName(token)) return 'a program that is quoted or a word of the shell'
  argv.push(token.value)
  return undefined
}

// A shell takes `%1` in the place of a program for a job of its own.
const isProgramName = (token: Token & { kind: 'word' }): boolean =>
  token.plain && !token.value.startsWith('%') && !RESERVED.has(token.value)

/** What a whole line must not be; undefined when it is fine. */
function flaw(stages: readonly Draft[]): string | undefined {
  if (stages.length > MAX_STAGES) return `more than ${MAX_STAGES} commands`
  if (stages.some(({ argv }) => argv.length === 0)) return 'a command without a program'
  const words = stages.flatMap(({ argv, redirects }) => [
    ...argv,
    ...redirects.map((each) => ('path' in each ? each.path : '')),
  ])
  return (
    tooLarge(words) ?? (stages.some((_, at) => hasRivals(stages, at)) ? 'two places for the same stream' : undefined)
  )
}

/** True when a stream has two sources or two targets: shells differ on what happens then. */
function hasRivals(stages: readonly Draft[], at: number): boolean {
  const redirects = stages[at]?.redirects ?? []
  const inputs = redirects.filter(({ kind }) => kind === 'read' || kind === 'empty').length
  const outputs = (descriptor: 1 | 2): number =>
    redirects.filter((each) => 'descriptor' in each && each.descriptor === descriptor).length
  const isPiped = stages[at]?.joint === '|' ? 1 : 0
  const pipes = stages[at + 1]?.joint === '|' ? 1 : 0
  return inputs + isPiped > 1 || outputs(1) + pipes > 1 || outputs(2) > 1
}

function redirectOf({ descriptor, sign }: Token & { kind: 'redirect' }, path: string): Redirect | undefined {
  if (sign === '<') {
    if (descriptor !== '' && descriptor !== '0') return undefined
    return path === '/dev/null' ? { kind: 'empty' } : { kind: 'read', path }
  }
  if (descriptor === '0') return undefined
  const into = descriptor === '2' ? 2 : 1
  if (path === '/dev/null') return { kind: 'discard', descriptor: into }
  return { kind: 'write', descriptor: into, append: sign === '>>', path }
}

const joinOf = ({ descriptor, into }: Token & { kind: 'join' }): Redirect => ({
  kind: 'join',
  descriptor: descriptor === '2' ? 2 : 1,
  into: into === '2' ? 2 : 1,
})
