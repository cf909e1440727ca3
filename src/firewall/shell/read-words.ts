import { hasTooManyWildcards } from './glob-meets.ts'
import type { Grammar, LeavesOut, Reading, ValueRule, WalkEntry, WalkRoot, WalkRule } from './grammar.ts'
import { isLeftOut, type LeftOut } from './leave-out.ts'
import { readRevision } from './revision.ts'
import { isPrintScript } from './sed-script.ts'

const NUMBER = /^[-+]?\d{1,19}[A-Za-z]{0,3}$/
/** Formats that make git run a program to check a signature. */
const RUNS_A_PROGRAM = /%G|signature/i
const GLOB = /[*?[\\]/
/** Each pattern is matched with every protected path. */
const MAX_GLOBS = 32

interface State {
  readonly grammar: Grammar
  readonly files: string[]
  readonly doubtful: string[]
  /** Options and their values behind the first operand. */
  readonly late: string[]
  readonly globs: string[]
  readonly behind: string[]
  readonly left: Readonly<Record<LeavesOut, string[]>>
  readonly operands: string[]
  /** Operands after `--`. */
  readonly paths: string[]
  readonly options: Set<string>
  /** A pattern or script came as an option, so that every operand is a file. */
  led: boolean
  fault: string | undefined
}

/**
 * Reads the words after a program's name by its grammar. Options may stand anywhere before `--`, short ones in one word, a
 * value in the same word or the next; long names are taken whole. Goes on after a fault, so that files are found anyway.
 */
export function readWords(words: readonly string[], grammar: Grammar): Reading {
  const state: State = {
    grammar,
    files: [],
    doubtful: [],
    late: [],
    globs: [],
    behind: [],
    left: { files: [], folders: [], both: [], others: [] },
    operands: [],
    paths: [],
    options: new Set(),
    led: false,
    fault: undefined,
  }
  let ended = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (ended) state.paths.push(word)
    else if (word === '--') ended = true
    else if (word === '-' || !word.startsWith('-')) state.operands.push(word)
    else {
      const taken = option(state, word, words[at + 1])
      if (state.operands.length > 0) state.late.push(...words.slice(at, at + 1 + taken))
      at += taken
    }
  }
  placeOperands(state)
  checkCounts(state)
  const { files, globs, behind, options, fault } = state
  const doubtful = grammar.ownParser === true ? state.doubtful : state.late
  return { files, doubtful, globs, behind, roots: rootsOf(state), options, fault, asks: grammar.asks }
}

/** Reads one option; answers how many of the following words it took. */
function option(state: State, word: string, next: string | undefined): 0 | 1 {
  if (word.startsWith('--')) return longOption(state, word, next)
  if (state.grammar.dashNumber === true && /^-\d{1,9}$/.test(word)) return 0
  return cluster(state, word, next)
}

function longOption(state: State, word: string, next: string | undefined): 0 | 1 {
  const { longFlags = [], longValues, longOptional } = state.grammar
  const [name, attached] = halves(word)
  const bare = name.slice(2)
  state.options.add(name)
  const needed = own(longValues, bare)
  if (needed !== undefined) return withValue(state, name, needed, attached, next)
  const possible = own(longOptional, bare)
  const isFlag = longFlags.includes(bare) || bare === 'help' || bare === 'version'
  if (possible !== undefined) withAttached(state, name, possible, attached)
  else if (!isFlag || attached !== undefined) fail(state, `${name} is not in the grammar, or takes no value`)
  return 0
}

function cluster(state: State, word: string, next: string | undefined): 0 | 1 {
  const { flags = '', values, optional } = state.grammar
  for (let at = 1; at < word.length; at++) {
    const letter = word.charAt(at)
    const name = `-${letter}`
    const attached = at + 1 < word.length ? word.slice(at + 1) : undefined
    state.options.add(name)
    const needed = own(values, letter)
    if (needed !== undefined) return withValue(state, name, needed, attached, next)
    const possible = own(optional, letter)
    if (possible !== undefined) return withAttached(state, name, possible, attached)
    if (!flags.includes(letter)) fail(state, `${name} is not in the grammar`)
  }
  return 0
}

/** An option that must have a value, in its own word or the next. */
function withValue(
  state: State,
  name: string,
  rule: ValueRule,
  attached: string | undefined,
  next: string | undefined,
): 0 | 1 {
  const given = attached ?? next
  if (given === undefined) fail(state, `${name} lacks its value`)
  else take(state, name, rule, given)
  return attached === undefined ? 1 : 0
}

/** An option that may have a value, in its own word only. */
function withAttached(state: State, name: string, rule: ValueRule, attached: string | undefined): 0 {
  if (attached !== undefined) take(state, name, rule, attached)
  return 0
}

/** One option's value, wherever it stood. */
function take(state: State, name: string, rule: ValueRule, given: string): void {
  const isListed = typeof rule !== 'string'
  if (isListed) state.options.add(`${name}=${given}`)
  if (!(isListed ? rule.includes(given) : VALUE_CHECKS[rule](given))) fail(state, `${name} does not take this value`)
  if (OPENED.has(rule) && isNotStdin(given)) state.files.push(given)
  if (LEADING.has(rule)) state.led = true
  const leaves = state.grammar.walk?.leaves ?? {}
  for (const kind of LEAVES.filter((each) => leaves[each]?.includes(name) === true)) state.left[kind].push(given)
}

const LEAVES: readonly LeavesOut[] = ['files', 'folders', 'both', 'others']

const OPENED: ReadonlySet<ValueRule> = new Set<ValueRule>(['file', 'patterns'])
/** What takes the place of the first operand. */
const LEADING: ReadonlySet<ValueRule> = new Set<ValueRule>(['pattern', 'patterns', 'script'])

const anything = (): boolean => true
const VALUE_CHECKS: Record<Exclude<ValueRule, readonly string[]>, (given: string) => boolean> = {
  number: (given) => NUMBER.test(given),
  text: anything,
  pattern: anything,
  glob: anything,
  file: anything,
  patterns: anything,
  script: isPrintScript,
  format: (given) => !RUNS_A_PROGRAM.test(given),
}

/** Sorts the words beside the options: files, paths and revisions are opened, the rest is text. */
function placeOperands(state: State): void {
  const { operands, paths, grammar, led } = state
  const all = [...operands, ...paths]
  const [first = ''] = all
  const place: Record<Grammar['operands'], () => unknown> = {
    text: () => undefined,
    none: () => undefined,
    files: () => state.files.push(...all.filter(isNotStdin)),
    pattern: () => state.files.push(...behindFirst(state).filter(isNotStdin)),
    script: () => {
      if (!led && !isPrintScript(first)) fail(state, 'the script does more than print lines')
      state.files.push(...behindFirst(state).filter(isNotStdin))
    },
    paths: () => {
      for (const path of all) placePath(state, path)
    },
    revisions: () => {
      placeRevisions(state, operands, paths)
    },
    search: () => {
      placeRevisions(state, led ? operands : operands.slice(1), paths)
    },
  }
  place[grammar.operands]()
}

/** The operands that are files: all, or all but the pattern or script that comes first. */
function behindFirst({ operands, paths, grammar, led }: State): readonly string[] {
  const all = [...operands, ...paths]
  return !led && (grammar.operands === 'pattern' || grammar.operands === 'script') ? all.slice(1) : all
}

const isNotStdin = (word: string): boolean => word !== '-'

/** A path of a repository: a pattern when it holds one of its signs, and nothing that starts with `:` (git's magic). */
function placePath(state: State, path: string): void {
  if (path.startsWith(':')) fail(state, 'a path that starts with a colon')
  state.files.push(path)
  if (!GLOB.test(path)) return
  if (state.globs.length >= MAX_GLOBS || hasTooManyWildcards(path)) fail(state, 'too many patterns or wildcards')
  else state.globs.push(path)
}

/** A revision, a path, `revision:path`, or two of them with dots between. */
function placeRevisions(state: State, words: readonly string[], paths: readonly string[]): void {
  for (const path of [...words, ...paths]) placePath(state, path)
  for (const word of words) {
    const { behind, fault } = readRevision(word)
    state.behind.push(...behind)
    state.doubtful.push(...behind.flatMap((path) => [path, path.split(/[~^@]/, 1)[0] ?? '']))
    if (fault !== undefined) fail(state, fault)
  }
}

function checkCounts(state: State): void {
  const { grammar, options } = state
  const count = state.operands.length + state.paths.length
  const most = grammar.operands === 'none' ? 0 : (grammar.most ?? count)
  if (count > most) fail(state, 'too many operands')
  if (count < (grammar.least ?? 0)) fail(state, 'an operand is missing')
  if (!looksRight(state)) fail(state, 'an operand that this form of the program does not take')
  if (count > 0 && !hasOne(options, grammar.operandsNeed)) fail(state, 'operands without the option that they need')
  if (!hasOne(options, grammar.needs)) fail(state, 'an option that must be there is missing')
}

const looksRight = ({ grammar: { each }, operands, paths }: State): boolean =>
  each === undefined || [...operands, ...paths].every((word) => each.test(word))

const hasOne = (options: ReadonlySet<string>, names: readonly string[] | undefined): boolean =>
  names?.some((name) => options.has(name)) ?? true

function rootsOf(state: State): readonly WalkRoot[] {
  const { walk } = state.grammar
  const depth = walk === undefined ? undefined : depthOf(state.options, walk)
  if (depth === undefined) return []
  const starts = behindFirst(state)
  const roots = starts.length === 0 && walk?.here === true ? ['.'] : starts.filter(isNotStdin)
  const left: LeftOut = state.left
  const view = { names: walk?.names === true, skips: (entry: WalkEntry) => isLeftOut(entry, left) }
  return roots.map((path) => ({ path, depth, view }))
}

function depthOf(options: ReadonlySet<string>, { base, deep = [], shallow = [] }: WalkRule): number | undefined {
  if (hasOne(options, deep)) return Infinity
  return hasOne(options, shallow) ? 0 : base
}

function fail(state: State, fault: string): void {
  state.fault ??= fault
}

function halves(word: string): readonly [string, string | undefined] {
  const equals = word.indexOf('=')
  return equals < 0 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)]
}

const own = (rules: Readonly<Record<string, ValueRule>> | undefined, name: string): ValueRule | undefined =>
  rules !== undefined && Object.hasOwn(rules, name) ? rules[name] : undefined
