import { posix } from 'node:path'
import { allow, block, requireApproval, type Outcome } from '../outcome.ts'
import { isAtOrBelow } from '../paths.ts'
import type { Place, Places } from '../places.ts'
import type { Policy } from '../policy.ts'
import { protectedTaint } from '../screening.ts'
import { candidates } from './candidates.ts'
import { cleanFolders } from './clean-folders.ts'
import { forbiddenIn } from './forbidden.ts'
import { globMeets } from './glob-meets.ts'
import { judgeGit } from './git-outcome.ts'
import { grantOf, runsAnyway, type Grant } from './grants.ts'
import type { Reading, WalkRoot } from './grammar.ts'
import { guessArgv, hasGrammar, readArgv } from './read-argv.ts'
import type { Redirect, Stage } from './stage.ts'
import type { WalkFinding, Walker } from './walk.ts'

/** What a command is judged with. `cwd` is a physical path. */
export interface Bench {
  readonly policy: Policy
  readonly places: Places
  readonly walker: Walker
  readonly tainted: boolean
  readonly cwd: string
}

/** What a command's words are and where they lead. */
export interface Viewed {
  readonly grant: Grant
  readonly reading: Reading
  /** What the repository makes of it. */
  readonly git: { readonly fault?: string; readonly hint?: string }
  /** In the order of the words; redirects last. */
  readonly places: readonly Place[]
  readonly writes: readonly Place[]
  /** Reasons to taint: the protected paths that the words name, whatever becomes of the command. */
  readonly taints: readonly string[]
}

const NOTHING = { asks: undefined }

/** Looks at a command's words. Patterns and plain text name nothing and so taint nothing (weakness 42). */
export function viewStage({ argv, redirects }: Stage, bench: Bench): Viewed {
  const { policy, places: disk, cwd } = bench
  const grant = grantOf(argv, cwd, policy, disk)
  const words = readingOf(argv, grant)
  const { asks, ...git } = argv[0] === 'git' && grant !== 'exact' ? judgeGit(argv, words, cwd, disk) : NOTHING
  const reading = asks === undefined ? words : { ...words, asks }
  const named = [...reading.files, ...redirects.flatMap(pathOf)].map((path) => disk.locate(path, cwd))
  const doubtful = [...new Set(reading.doubtful)].map((path) => disk.trace(path, cwd)).filter(couldBeOpened)
  const metByGlob = reading.globs.length === 0 ? [] : metBy(reading.globs, bench)
  const writes = redirects.flatMap((each) => (each.kind === 'write' ? [disk.locate(each.path, cwd)] : []))
  const places = [...named, ...doubtful, ...metByGlob, ...ancestral(argv, reading, bench)]
  // A word whose part in the grammar is not known may be anything.
  const unread = reading.fault === undefined ? [] : taintsIn(argv.slice(1), cwd, disk)
  return { grant, reading, git, places, writes, taints: [...new Set([...places.flatMap(taintOf), ...unread])] }
}

/** Decides on one command that was looked at. Spec: section 1.4, from sh-allowlist on. */
export function judgeStage({ argv }: Stage, viewed: Viewed, bench: Bench): Outcome {
  const refusal =
    grantOutcome(argv, viewed) ??
    pathsOutcome(viewed) ??
    argsOutcome(argv, viewed, bench.policy) ??
    walkOutcome(viewed, bench)
  return refusal ?? withWrites(permission(argv, viewed, bench), viewed.writes)
}

/** What the lists of the policy come to for words that nothing is wrong with; whatever taints was refused before. */
function permission(argv: readonly string[], { grant, reading }: Viewed, { policy, tainted }: Bench): Outcome {
  const isFree = (grant === 'ok' || runsAnyway(argv[0] ?? '', policy)) && reading.asks === undefined
  if (grant === 'exact' && !tainted) return allow('sh-exact', 'exactly as granted')
  if (isFree) return allow('sh-ok', 'granted')
  if (tainted) return block('taint-session', 'the session has named protected data', { hint: TAINTED })
  return requireApproval('sh-ask', reading.asks ?? 'a person is asked about this program')
}

/** Each part costs a look at the disk; what is refused anyway is not worth more of them. */
const MAX_PARTS = 4096

/** Reasons to taint for the words of a refused text, however they are taken apart. */
export function taintsIn(words: readonly string[], cwd: string, places: Places): readonly string[] {
  const parts = words.flatMap((word) => [...candidates(word), ...word.split(/[:()]+/).filter((part) => part !== '')])
  return [...new Set(parts)].slice(0, MAX_PARTS).flatMap((part) => taintOf(places.trace(part, cwd)))
}

const NOT_GRANTED = 'Use a program that the policy grants, named without a path and without variables in front of it.'
const NO_CD = 'Start the line with cd, one plain folder below and &&, as in cd src && ls, or name files by their path.'
const NO_XARGS = 'Name the files in the command itself, or spell them as a pattern, as in wc -l src/*.ts.'
const HINTS: ReadonlyMap<string, string> = new Map([
  ['cd', NO_CD],
  ['xargs', NO_XARGS],
])
const TAINTED = 'Only programs that run without asking are left in this session.'
const NAME_FOLDERS = 'Name the files or smaller folders that hold nothing protected, or leave the recursion out.'
const NAME_FILES = 'Name files inside the workspace that are not protected; put options before file names.'
const CLOSED_OPTIONS = 'Use the plain options of the program, spelled out in full.'

/** An exact grant was written by a person, so that a grammar has no say in it; its words are still looked at. */
function readingOf(argv: readonly string[], grant: Grant): Reading {
  const reading = readArgv(argv) ?? guessArgv(argv)
  return grant === 'exact' && reading.fault !== undefined && hasGrammar(argv[0] ?? '') ? guessArgv(argv) : reading
}

const pathOf = (redirect: Redirect): readonly string[] => ('path' in redirect ? [redirect.path] : [])
const taintOf = (place: Place): readonly string[] => (place.kind === 'protected' ? [protectedTaint(place.path)] : [])
/** A text that no system could open is no path; one that leads to something strange is. */
const couldBeOpened = (place: Place): boolean => place.kind !== 'refused' || !place.malformed

/** A path behind a revision starts at the repository's root, which may be any folder above. */
function ancestral(argv: readonly string[], { doubtful }: Reading, { places, cwd }: Bench): readonly Place[] {
  if (argv[0] !== 'git') return []
  const found: Place[] = []
  for (let at = cwd; at !== places.root && isAtOrBelow(at, places.root);) {
    at = posix.dirname(at)
    for (const path of doubtful) found.push(places.trace(path, at))
  }
  return found.filter((place) => place.kind === 'protected')
}

function metBy(globs: readonly string[], { policy, places, cwd }: Bench): readonly Place[] {
  const paths = places.protectedBelow(places.root)
  return globs
    .flatMap((glob) => globMeets(glob, cwd, places.root, paths, policy.protected_names))
    .map((path) => ({ kind: 'protected', path }))
}

function grantOutcome(argv: readonly string[], { grant, taints }: Viewed): Outcome | undefined {
  if (grant !== 'none') return undefined
  const hint = HINTS.get(argv[0] ?? '') ?? NOT_GRANTED
  return block('sh-allowlist', 'the program is not granted', { taints, hint })
}

function pathsOutcome({ places, taints }: Viewed): Outcome | undefined {
  const bad = places.find(({ kind }) => kind === 'protected') ?? places.find(({ kind }) => kind !== 'open')
  switch (bad?.kind) {
    case undefined:
    case 'open':
      return undefined
    case 'protected':
      return block('sh-paths', `${bad.path} is protected`, { also: ['fs-protected'], taints, hint: NAME_FILES })
    case 'outside':
      return block('sh-paths', `${bad.path} leaves the sandbox`, { taints, hint: NAME_FILES })
    case 'refused':
      return block('sh-paths', bad.detail, { taints, hint: NAME_FILES })
  }
}

function argsOutcome(argv: readonly string[], { reading, git, taints }: Viewed, policy: Policy): Outcome | undefined {
  if (reading.fault !== undefined) return block('sh-args', reading.fault, { taints, hint: CLOSED_OPTIONS })
  if (git.fault !== undefined) return block('sh-args', git.fault, { taints, hint: git.hint ?? CLOSED_OPTIONS })
  const program = argv[0] ?? ''
  const forbidden = Object.hasOwn(policy.shell_forbidden_args, program)
    ? policy.shell_forbidden_args[program]
    : undefined
  const found = forbiddenIn(argv, reading, forbidden ?? [])
  return found === undefined
    ? undefined
    : block('sh-args', `the policy forbids ${found}`, { taints, hint: CLOSED_OPTIONS })
}

function walkOutcome({ reading }: Viewed, bench: Bench): Outcome | undefined {
  for (const root of reading.roots) {
    const found = walkFinding(root, bench)
    if (found.kind !== 'clear') return walkRefusal(found, root, bench)
  }
  return undefined
}

/** The names of settings are no secret; what is in them is another matter. */
function walkFinding({ path, depth, view }: WalkRoot, { places, walker, cwd }: Bench): WalkFinding {
  const place = places.locate(path, cwd)
  if (place.kind === 'protected') return { ...place, configures: false, reached: [] }
  if (place.kind !== 'open') return place
  const found = walker.look(place.path, depth, places, view === undefined ? undefined : { view, shown: path })
  const isNamed = view?.names === true && found.kind === 'protected' && found.configures
  return isNamed ? { kind: 'clear' } : found
}

function walkRefusal(
  found: Exclude<WalkFinding, { kind: 'clear' }>,
  root: WalkRoot,
  { places, walker, cwd }: Bench,
): Outcome {
  const hint = [NAME_FOLDERS, cleanFolders(root.path, cwd, places, walker)].join(' ').trim()
  switch (found.kind) {
    case 'protected':
      return block('sh-recursive', `it would reach ${found.path}`, {
        also: ['fs-protected'],
        taints: found.configures ? [] : [protectedTaint(found.path)],
        hint: [hint, leaveOut(found)].join(' ').trim(),
      })
    case 'outside':
      return block('sh-recursive', `it leaves the sandbox at ${found.path}`, { hint })
    case 'refused':
      return block('sh-recursive', found.detail, { hint })
  }
}

const PLAIN_NAME = /^[\w.@+-]{1,64}$/
const MAX_NAMED = 6

/** How grep and find leave out what was reached, as far as plain names say it. */
function leaveOut({ reached }: Extract<WalkFinding, { kind: 'protected' }>): string {
  const plain = reached.filter(({ name }) => PLAIN_NAME.test(name)).slice(0, MAX_NAMED)
  const options = new Set(plain.map(({ name, isFolder }) => `${isFolder ? '--exclude-dir' : '--exclude'}=${name}`))
  const tests = new Set(plain.map(({ name, isFolder }) => `-not ${isFolder ? `-path '*/${name}*'` : `-name ${name}`}`))
  if (plain.length === 0) return ''
  return `grep leaves out what is protected with ${[...options].join(' ')}, find with ${[...tests].join(' ')}.`
}

/** Adds what redirects write: a writable file goes with the rest, any other is asked about. */
function withWrites(outcome: Outcome, writes: readonly Place[]): Outcome {
  if (writes.length === 0) return outcome
  const asks = writes.some((place) => place.kind !== 'open' || !place.writable || place.asks)
  if (!asks) return { ...outcome, rules: [...outcome.rules, 'fs-write-ok'] }
  if (outcome.decision !== 'allow') return { ...outcome, rules: [...outcome.rules, 'fs-write-scope'] }
  return requireApproval('fs-write-scope', 'a redirect writes where a person is asked', { also: outcome.rules })
}
