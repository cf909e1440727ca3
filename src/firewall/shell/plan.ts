import type { Place, Places } from '../places.ts'
import { expandStage } from './expand.ts'
import { viewStage, type Bench, type Viewed } from './judge-stage.ts'
import { hasGrammar } from './read-argv.ts'
import type { SpelledStage, Stage } from './stage.ts'

/** One command and how it looks from each folder that it may start in. */
interface Command {
  readonly stage: Stage
  readonly views: readonly { readonly viewed: Viewed; readonly bench: Bench }[]
}

/** A line's commands, ready to be judged. */
export interface Plan {
  readonly commands: readonly Command[]
  /** The physical folder that they start in. */
  readonly cwd: string
  /** Where a leading `cd` leads when it is no unprotected folder of the sandbox. */
  readonly strays: Place | undefined
}

/**
 * Takes a leading `cd FOLDER &&` away and puts names in the place of patterns. What follows `;` or `||` would run in the
 * first folder if `cd` failed, so it is looked at from both. A text says which pattern is not taken.
 */
export function planLine(spelled: readonly SpelledStage[], bench: Bench): Plan | { readonly detail: string } {
  const start = startOf(spelled, bench)
  const commands: Command[] = []
  for (const [at, each] of start.rest.entries()) {
    const command = commandOf(each, at < start.unsure ? [start.bench] : [start.bench, bench])
    if ('detail' in command) return command
    commands.push(at === 0 ? { ...command, stage: { ...command.stage, joint: ';' } } : command)
  }
  return { commands, cwd: start.bench.cwd, strays: start.strays }
}

interface Start {
  /** Where the commands start, and the commands without the one that went there. */
  readonly bench: Bench
  readonly rest: readonly SpelledStage[]
  /** The first of them that would run in the folder of before, too. */
  readonly unsure: number
  readonly strays: Place | undefined
}

function startOf(spelled: readonly SpelledStage[], bench: Bench): Start {
  const target = leadingFolder(spelled)
  if (target === undefined) return { bench, rest: spelled, unsure: Infinity, strays: undefined }
  const place = bench.places.locate(target, bench.cwd)
  const rest = spelled.slice(1)
  const unsure = rest.findIndex(({ joint }, at) => at > 0 && (joint === ';' || joint === '||'))
  return {
    bench: 'path' in place ? { ...bench, cwd: place.path } : bench,
    rest,
    unsure: unsure < 0 ? Infinity : unsure,
    strays: isOpenFolder(place, bench.places) ? undefined : place,
  }
}

/** True for an unprotected folder of the sandbox. */
export const isOpenFolder = (place: Place, { disk }: Places): boolean =>
  place.kind === 'open' && disk.lstat(place.path)?.kind === 'directory'

// Words that shells take for something else: options, a home, a folder of before, a job. What is above is found by the
// name that the shell remembers, and not by the folder's own.
const OTHER = /^[-~+%=]|(?:^|\/)\.\.(?:\/|$)|^$/

/** The folder of a `cd` that starts a line and is joined to the next command by `&&`. */
function leadingFolder([first, second]: readonly SpelledStage[]): string | undefined {
  if (first?.argv[0] !== 'cd' || first.argv.length !== 2 || second?.joint !== '&&') return undefined
  const target = first.argv[1] ?? ''
  const isPlain = first.redirects.length === 0 && first.expands.length === 0 && !OTHER.test(target)
  return isPlain ? target : undefined
}

function commandOf(
  spelled: SpelledStage,
  benches: readonly [Bench, ...Bench[]],
): Command | { readonly detail: string } {
  const [bench, ...others] = benches
  if (others.length > 0 && spelled.expands.length > 0) {
    return { detail: 'a pattern in a command that runs whether the folder was changed or not' }
  }
  const expanded = expandStage(spelled, bench.cwd, bench.places)
  if ('detail' in expanded) return expanded
  const { stage, matches } = expanded
  const views = benches.map((each) => ({ viewed: viewStage(stage, each), bench: each }))
  const isPlaced = views.every(({ viewed }) => matches.every((match) => isOpened(match, stage, viewed)))
  return isPlaced ? { stage, views } : { detail: 'a pattern that would give more than names of files' }
}

/**
 * A shell sorts names as its language does: only where each one is a file to open, wherever it stands, is the order without
 * meaning.
 */
function isOpened(match: string, { argv }: Stage, { reading }: Viewed): boolean {
  if (!hasGrammar(argv[0] ?? '')) return reading.doubtful.includes(match)
  const count = (words: readonly string[]): number => words.filter((word) => word === match).length
  return count(reading.files) >= count(argv)
}
