import { posix } from 'node:path'
import picomatch from 'picomatch'
import type { Disk } from './disk.ts'
import { fold } from './fold.ts'
import { isAtOrBelow, walk, type Walk } from './paths.ts'

/** What configures the firewall where a host runs it as a hook: protected whether or not it exists. Spec: section 11. */
const OWN_SETTINGS = ['.claude/settings.json', '.claude/settings.local.json', '.codex/config.toml', '.codex/hooks.json']
/** The same in the home folder of the user. */
const OWN_HOME_SETTINGS = ['.claude/settings.json', '.codex/config.toml', '.codex/hooks.json']

/** Which paths a sandbox keeps from the agent. */
export interface Guard {
  /** True when the end of the walk, or a link on the way to it, is protected by path, by name or by identity. */
  covers(found: Extract<Walk, { kind: 'found' }>): boolean
  /** The protected physical paths at or below a folder. */
  below(folder: string): readonly string[]
}

/** What is protected, as spelled. */
export interface Protected {
  readonly root: string
  /** Relative ones start at the root. */
  readonly paths: readonly string[]
  /** Patterns for one name below the root. */
  readonly names: readonly string[]
}

/** The settings of hosts that would switch the firewall off. `home` is the user's home folder. */
export const ownSettings = (home: string): readonly string[] => [
  ...OWN_SETTINGS,
  ...OWN_HOME_SETTINGS.map((path) => posix.join(home, path)),
]

/**
 * Prepares a guard. The returned function makes one for a request: a protected path may be a link that was put in place
 * after the policy was loaded, so where those below the root lead is found out again each time. What lies outside the
 * root is out of the agent's reach and is found out once.
 */
export function guardOf(given: Protected, disk: Disk): (disk: Disk) => Guard {
  const { root } = given
  const lexical = given.paths.map((path) => ({ spelled: path, path: posix.resolve(root, path) }))
  const [within, beyond] = [true, false].map((side) => lexical.filter(({ path }) => isAtOrBelow(path, root) === side))
  const fixed = marksOf(beyond ?? [], root, disk)
  const matches = nameTest(given.names)
  return (fresh) => {
    const moving = marksOf(within ?? [], root, fresh)
    const marks = [fixed, moving]
    const isMarked = (path: string): boolean => marks.some(({ folded }) => hasAtOrAbove(folded, fold(path)))
    const isNamed = (path: string): boolean =>
      matches !== undefined &&
      isAtOrBelow(path, root) &&
      path
        .slice(root.length + 1)
        .split('/')
        .some(matches)
    return {
      covers: ({ path, via, identities }) =>
        [path, ...via].some((each) => isMarked(each) || isNamed(each)) ||
        identities.some((identity) => marks.some((each) => each.identities.has(identity))),
      below: (folder) =>
        marks.flatMap(({ physical }) => physical.filter((path) => isAtOrBelow(fold(path), fold(folder)))),
    }
  }
}

interface Marks {
  readonly physical: readonly string[]
  /** Lexical and physical forms and the links between them, folded. */
  readonly folded: ReadonlySet<string>
  readonly identities: ReadonlySet<string>
}

function marksOf(
  paths: readonly { readonly spelled: string; readonly path: string }[],
  root: string,
  disk: Disk,
): Marks {
  const physical: string[] = []
  const folded = new Set<string>()
  const identities = new Set<string>()
  for (const { spelled, path } of paths) {
    folded.add(fold(path))
    const found = walk(spelled, root, { disk, root })
    // One that cannot be followed, say a link to itself, is still protected under its own name.
    physical.push(found.kind === 'found' ? found.path : path)
    if (found.kind === 'refused') continue
    for (const place of [found.path, ...found.via]) folded.add(fold(place))
    if (found.entry !== undefined) identities.add(found.entry.identity)
  }
  return { physical, folded, identities }
}

function hasAtOrAbove(marks: ReadonlySet<string>, path: string): boolean {
  if (marks.size === 0) return false
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) if (marks.has(at)) return true
  return marks.has('/')
}

/** Tests one name against all patterns, as spelled and folded. */
function nameTest(globs: readonly string[]): ((name: string) => boolean) | undefined {
  if (globs.length === 0) return undefined
  const options = { dot: true, nobrace: true, noextglob: true, nonegate: true, noglobstar: true, windows: false }
  const tests = [...new Set(globs.flatMap((glob) => [glob, fold(glob)]))].map((glob) => picomatch.makeRe(glob, options))
  return (name) => tests.some((test) => test.test(name) || test.test(fold(name)))
}
