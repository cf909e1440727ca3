import { parseFind, type FindNode } from './find-expression.ts'
import type { WalkEntry, WalkView } from './grammar.ts'
import { mayMatch, surelyMatches } from './leave-out.ts'
import { fold } from '../fold.ts'

/** What is known of a test before it runs. */
type Truth = 'yes' | 'no' | 'maybe'

interface Effect {
  readonly truth: Truth
  /** True unless it surely shows nothing. */
  readonly shows: boolean
  /** True when it surely keeps find from looking below. */
  readonly prunes: boolean
}

const SHOWS = new Set(['-print', '-print0', '-ls', '-printf'])
const FOLLOWS = ['-L', '-follow']

/**
 * What find would show and where it would not look, by its own tests of names and paths: three answers for each test, and
 * any doubt counts as shown. With links to follow nothing is known: a path may be another one.
 */
export function findView(words: readonly string[], options: ReadonlySet<string>): WalkView {
  const tree = FOLLOWS.some((option) => options.has(option)) ? undefined : parseFind(words)
  if (tree === undefined) return { names: true, skips: () => false }
  const isPrinted = !words.some((word) => SHOWS.has(word))
  const canPrune = !options.has('-depth')
  return {
    names: true,
    skips: (entry) => {
      const { truth, shows, prunes } = effectOf(tree, entry)
      const isShown = shows || (isPrinted && truth !== 'no')
      return !isShown && (!entry.isFolder || (prunes && canPrune))
    },
  }
}

const flipped: Record<Truth, Truth> = { yes: 'no', no: 'yes', maybe: 'maybe' }

function effectOf(node: FindNode, entry: WalkEntry): Effect {
  switch (node.kind) {
    case 'test':
      return { truth: truthOf(node, entry), shows: SHOWS.has(node.word), prunes: node.word === '-prune' }
    case 'not': {
      const inner = effectOf(node.of, entry)
      return { ...inner, truth: flipped[inner.truth] }
    }
    case 'and':
    case 'or':
      return joined(node, entry)
  }
}

/** The second side runs unless the first one decides; whether it does is known or not. */
function joined({ kind, first, second }: Extract<FindNode, { kind: 'and' | 'or' }>, entry: WalkEntry): Effect {
  const one = effectOf(first, entry)
  const decides: Truth = kind === 'and' ? 'no' : 'yes'
  if (one.truth === decides) return one
  const two = effectOf(second, entry)
  const isCertain = one.truth !== 'maybe'
  return {
    truth: isCertain || two.truth === decides ? two.truth : 'maybe',
    shows: one.shows || two.shows,
    prunes: one.prunes || (isCertain && two.prunes),
  }
}

const ALWAYS = new Set([
  ...['-true', '-prune', '-print', '-print0', '-ls', '-printf', '-depth', '-xdev', '-mount', '-noleaf', '-daystart'],
  ...['-maxdepth', '-mindepth', '-regextype', '-ignore_readdir_race', '-noignore_readdir_race'],
])
const NAMES = new Set(['-name', '-iname'])
const PATHS = new Set(['-path', '-ipath', '-wholename', '-iwholename'])

function truthOf({ word, value }: Extract<FindNode, { kind: 'test' }>, entry: WalkEntry): Truth {
  // Without its path nothing is known of an entry, not even which of its names find would see.
  if (entry.shown === undefined) return 'maybe'
  if (ALWAYS.has(word)) return 'yes'
  if (word === '-false') return 'no'
  if (word === '-type' && (value === 'f' || value === 'd')) return entry.isFolder === (value === 'd') ? 'yes' : 'no'
  if (NAMES.has(word)) return matched(value, entry.name, word.startsWith('-i'))
  return PATHS.has(word) ? matchedPath(value, entry.shown, word.startsWith('-i')) : 'maybe'
}

function matched(pattern: string, text: string, ignoresCase: boolean): Truth {
  if (!mayMatch(pattern, text)) return 'no'
  const [glob, name] = ignoresCase ? [fold(pattern), fold(text)] : [pattern, text]
  return surelyMatches(glob, name) ? 'yes' : 'maybe'
}

/** The slashes of a path are letters like any other here, and so is a dot at its start. No word holds a NUL. */
const matchedPath = (pattern: string, path: string, ignoresCase: boolean): Truth =>
  matched(asText(pattern), asText(path), ignoresCase)

const asText = (path: string): string => `p${path.replaceAll('/', '\0')}`
