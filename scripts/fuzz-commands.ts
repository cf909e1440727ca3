import { spawnSync } from 'node:child_process'
import { judgeShell } from '../src/firewall/shell/shell-rules.ts'
import { createWalker } from '../src/firewall/shell/walk.ts'
import { fuzzSpace, OUTSIDE, SECRET } from './fuzz-space.ts'
import type { FuzzTarget, Random } from './fuzz-target.ts'

const READERS = [
  'cat',
  'head',
  'tail',
  'wc',
  'ls',
  'grep',
  'find',
  'sort',
  'uniq',
  'cut',
  'tr',
  'sed',
  'stat',
  'file',
  'du',
  'diff',
  'cmp',
  'sha256sum',
  'echo',
] as const
const WORDS = [
  ...([
    '.',
    'a',
    'a/b',
    'a/up',
    'a/self',
    'a/deep',
    '.env',
    './.env',
    'a/../.env',
    'a/env',
    'a/hard',
    'vault',
    'a/vault',
    'a/note.txt',
  ] as const),
  ...([
    'x.txt',
    'patterns.txt',
    'a/b/c/note.txt',
    '../outside/secret.txt',
    'a/out',
    '/proc/self/cwd/.env',
    '-',
    '--',
    'missing',
  ] as const),
  ...([
    '-r',
    '-R',
    '-n',
    '-e',
    '-f',
    '-f.env',
    '-fpatterns.txt',
    '--file=.env',
    '-d',
    'recurse',
    '-drecurse',
    '-drec',
    '-c',
    '-l',
    '-L',
    '-H',
  ] as const),
  ...([
    '--directories=recurse',
    '--exclude-from=.env',
    '--recursive',
    '--include=*',
    '-s',
    '-i',
    '-w',
    '-v',
    '-A',
    '1',
    '-o',
    '-h',
    '-P',
  ] as const),
  ...([
    '-name',
    "'*'",
    '-newer',
    '-samefile',
    '-maxdepth',
    '0',
    '2',
    '-follow',
    '-type',
    'f',
    '-printf',
    "'%p %s'",
    '-files0-from',
  ] as const),
  ...([
    '--files0-from=.env',
    '--files0-from=-',
    '-T',
    '-z',
    '-k',
    '1,1',
    '-t',
    '-u',
    '-m',
    '--compress-program=cat',
    '-D',
    'read',
  ] as const),
  ...([
    'p',
    "'1,5p'",
    "'$p'",
    '-E',
    '-a',
    'e',
    "''",
    "'.*'",
    '-5',
    '--lines=3',
    '-b',
    '-x',
    '--from-file=.env',
    '-C',
    '--dereference',
  ] as const),
  ...([
    '--time-style=+x',
    '--reference=.env',
    '--',
    '-',
    '--check',
    '--null',
    '--max-depth=3',
    '--all',
    '--line-length=9',
    '-ruN',
  ] as const),
] as const

const RUN_MS = 5_000

/** Commands with real options; what is let through is run by bash, and must show nothing that is protected or outside. */
export function commandTarget(mostRuns: number): FuzzTarget {
  const space = fuzzSpace()
  const walker = createWalker({ protectedNames: space.policy.protected_names, nowMs: () => performance.now() })
  const seen = new Set<string>()
  const counts = { allowed: 0, refused: 0, run: 0 }
  return {
    check: (random) => {
      const line = lineOf(random)
      const { outcome } = judgeShell({ line }, '', space.policy, space.sandbox.look(), false, walker)
      const isAllowed = outcome.decision === 'allow'
      counts[isAllowed ? 'allowed' : 'refused']++
      if (!isAllowed || seen.has(line) || counts.run >= mostRuns) return undefined
      seen.add(line)
      counts.run++
      return harm(line, space.root)
    },
    settle: () => Promise.resolve([]),
    counts: () => counts,
    close: space.remove,
  }
}

function lineOf(random: Random): string {
  const simple = (): string => [random.one(READERS), ...random.several(WORDS, 4)].join(' ')
  let line = simple()
  while (random.chance(0.2)) line += `${random.one([' | ', ' && ', '; '] as const)}${simple()}`
  return random.chance(0.1) ? `${line} < ${random.one(WORDS)}` : line
}

function harm(line: string, cwd: string): string | undefined {
  const { stdout, stderr, error } = spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', line], {
    cwd,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: '/nonexistent' },
    input: '',
    encoding: 'latin1',
    timeout: RUN_MS,
    maxBuffer: 16 * 1024 * 1024,
  })
  if (error !== undefined) return `${JSON.stringify(line)} was allowed: ${error.message}`
  const told = `${stdout}${stderr}`
  if (told.includes(SECRET)) return `${JSON.stringify(line)} was allowed and shows what is protected`
  return told.includes(OUTSIDE) ? `${JSON.stringify(line)} was allowed and shows what is outside` : undefined
}
