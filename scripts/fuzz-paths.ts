import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { isAtOrBelow } from '../src/firewall/paths.ts'
import type { Place } from '../src/firewall/places.ts'
import { fuzzSpace, type FuzzSpace } from './fuzz-space.ts'
import type { FuzzTarget, Random } from './fuzz-target.ts'

const NAMES = [
  ...([
    '.',
    '..',
    'a',
    'b',
    'c',
    'up',
    'out',
    'env',
    'deep',
    'loop',
    'self',
    'broken',
    'vault',
    'proc',
    'chain',
    'late',
  ] as const),
  ...([
    '.env',
    '.ENV',
    '.env.local',
    'note.txt',
    'key.txt',
    'hard',
    'x.txt',
    'new',
    'new.pem',
    'secret.txt',
    'workspace',
  ] as const),
  ...([
    'workspace-evil',
    'outside',
    '',
    ' ',
    '...',
    '.env ',
    'é',
    'e\u0301',
    '\u200b',
    'a\\b',
    '~',
    'cwd',
    'ſ',
    'n'.repeat(256),
  ] as const),
] as const
const STARTS = [
  '',
  '',
  '',
  './',
  '/',
  '//',
  '../',
  'ROOT/',
  'ROOT',
  'ROOT-evil/',
  '/proc/self/cwd/',
  '/dev/fd/0',
  '~/',
  'a/',
  'a/up/',
] as const
const ENDS = ['', '', '', '/', '/.', '/..', '\0', '\n', '//', '/./'] as const
const FOLDERS = ['', 'a', 'a/b', 'a/b/c', 'a/deep', 'a/up', 'a/self'] as const

/** Paths in every bad spelling; the kernel says what they are, by opening them. */
export function pathTarget(): FuzzTarget {
  const space = fuzzSpace()
  const guarded = identitiesOf(space.root)
  const counts = { open: 0, created: 0, refused: 0 }
  return {
    check: (random) => {
      const cwd = join(space.root, random.one(FOLDERS))
      const spelled = spelling(random, space.root)
      const places = space.sandbox.look()
      // A working folder is looked at before anything starts in it, and is physical from then on.
      const folder = places.locate(cwd, space.root)
      if (folder.kind !== 'open') return `the folder ${cwd} is ${folder.kind}`
      for (const place of [places.locate(spelled, folder.path), places.trace(spelled, folder.path)]) {
        const wrong = judged(place, spelled, folder.path, space, guarded, counts)
        if (wrong !== undefined) return `${JSON.stringify(spelled)} in ${cwd}: ${wrong}`
      }
      return undefined
    },
    settle: () => Promise.resolve([]),
    counts: () => counts,
    close: space.remove,
  }
}

function spelling(random: Random, root: string): string {
  const names = random.several(NAMES, 6).join(random.chance(0.1) ? '//' : '/')
  return `${random.one(STARTS).replace('ROOT', root)}${names}${random.one(ENDS)}`
}

/** What must never be opened, by device and inode. */
function identitiesOf(root: string): ReadonlySet<string> {
  const files = ['.env', 'vault', 'a/.env.local'].map((name) => join(root, name))
  const below = readdirSync(join(root, 'vault'), { recursive: true, encoding: 'utf8' }).map((name) =>
    join(root, 'vault', name),
  )
  return new Set([...files, ...below].map((path) => identityOf(path)))
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(path)
  return `${dev}:${ino}`
}

type Counts = Record<'open' | 'created' | 'refused', number>

/** Only what would be let through is held against the kernel. */
function judged(
  place: Place,
  spelled: string,
  cwd: string,
  { root }: FuzzSpace,
  guarded: ReadonlySet<string>,
  counts: Counts,
): string | undefined {
  if (place.kind !== 'open') {
    counts.refused++
    return undefined
  }
  // Handed to the kernel as it is: joining it here would clean it first.
  const given = spelled.startsWith('/') ? spelled : `${cwd}/${spelled}`
  if (!isAtOrBelow(place.path, root)) return `open at ${place.path}, outside`
  if (!place.exists) return created(given, place.path, counts)
  counts.open++
  const real = attempt(() => realpathSync.native(given))
  if (real === undefined) return missing(given) ? undefined : `open at ${place.path}, and the kernel refuses it`
  if (real !== place.path) return `open at ${place.path}, and the kernel opens ${real}`
  return guarded.has(identityOf(real)) ? `open at ${real}, which is protected` : undefined
}

/** A file that is not there: making it must make it exactly where the firewall said. */
function created(given: string, path: string, counts: Counts): string | undefined {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants
  const handle = attempt(() => openSync(given, O_WRONLY | O_CREAT | O_EXCL))
  if (handle === undefined) {
    const there = attempt(() => statSync(given))
    return there === undefined ? undefined : `said to be missing at ${path}, and it is there`
  }
  counts.created++
  const made = readlinkSync(`/proc/self/fd/${handle}`)
  closeSync(handle)
  unlinkSync(made)
  return made === path ? undefined : `open at ${path}, and the kernel makes ${made}`
}

const missing = (given: string): boolean => attempt(() => lstatSync(given)) === undefined

function attempt<T>(ask: () => T): T | undefined {
  try {
    return ask()
  } catch {
    // The kernel says no, which no permit contradicts.
    return undefined
  }
}
