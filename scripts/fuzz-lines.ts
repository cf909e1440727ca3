import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLine } from '../src/firewall/shell/line.ts'
import type { Redirect, SpelledStage, Stage } from '../src/firewall/shell/stage.ts'
import { pipelines, runsAfter } from '../src/workspace/sinks.ts'
import type { FuzzTarget, Random } from './fuzz-target.ts'
import { PROGRAMS, SIGNS, WORDS } from './fuzz-words.ts'

/** More than these a batch has no file for, and nothing may be made elsewhere. */
const PLAIN = /^[a-z0-9]{1,8}$/

/** What a pattern stands for is seen on the disk, and in a property test of its own. */
const hasPatterns = ({ expands, keeps }: SpelledStage): boolean => expands.length + keeps.length > 0

interface Accepted {
  readonly line: string
  readonly stages: readonly Stage[]
}

/** Lines for a shell; bash says which commands with which words it would run, and which files it would make. */
export function lineTarget(): FuzzTarget {
  let waiting: Accepted[] = []
  const counts = { accepted: 0, refused: 0, compared: 0 }
  return {
    check: (random) => {
      const line = random.chance(0.5) ? noise(random) : command(random)
      const reading = readLine(line)
      counts[reading.ok ? 'accepted' : 'refused']++
      if (reading.ok && isComparable(reading.stages) && !reading.stages.some(hasPatterns)) {
        waiting.push({ line, stages: reading.stages })
      }
      return undefined
    },
    settle: () => {
      const batch = waiting
      waiting = []
      counts.compared += batch.length
      return Promise.resolve(batch.length === 0 ? [] : [0, 1].flatMap((status) => compared(batch, status)))
    },
    counts: () => counts,
    close: () => undefined,
  }
}

const noise = (random: Random): string => `${random.one(PROGRAMS)} ${random.several(SIGNS, 9).join('')}`

function command(random: Random): string {
  const joints = [' | ', ' && ', ' || ', '; ', ';', '|'] as const
  const stage = (): string => {
    const words = random.several([...WORDS, ...SIGNS] as const, 4)
    const redirect = random.chance(0.2)
      ? random.one([' > a', ' >> b', ' 2> a', ' < a', ' 2>&1', ' >/dev/null ', ' 2>/dev/null '] as const)
      : ''
    return `${[random.one(PROGRAMS), ...words].join(' ')}${redirect}`
  }
  let line = stage()
  while (random.chance(0.4)) line += `${random.one(joints)}${stage()}`
  return line
}

const pathOf = (redirect: Redirect): readonly string[] => ('path' in redirect ? [redirect.path] : [])

/** A command with a variable in front or a path is no grant of any policy; a file elsewhere is not for this machine. */
const isComparable = (stages: readonly Stage[]): boolean =>
  stages.every(
    ({ argv, redirects }) =>
      /^[^=/]+$/.test(argv[0] ?? '') &&
      argv[0] !== 'builtin' &&
      redirects.flatMap(pathOf).every((path) => PLAIN.test(path)) &&
      redirects.every((each) => each.kind !== 'read' || each.path === 'a' || each.path === 'b'),
  )

// Every name is a function that writes down its words, also where bash has a builtin of the name.
const PREAMBLE = `
__log() { builtin printf '%s\\0' "$#" "$@" >&9; }
for __name in $(builtin compgen -b); do
  case $__name in
    builtin) ;;
    *) builtin eval "function $__name { __log $__name \\"\\$@\\"; builtin return \\$__status; }" ;;
  esac
done
command_not_found_handle() { __log "$@"; builtin return $__status; }
PATH=/nonexistent
while IFS= builtin read -r -d '' __line; do
  builtin printf 'LINE\\0' >&9
  builtin eval "$__line"
done
builtin exit 0
`

/** Lets bash run all lines of a batch, every command ending with \`status\`, and compares what it did. */
function compared(batch: readonly Accepted[], status: number): readonly string[] {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gate-fuzz-')))
  try {
    // Deep, so that no number of \`..\` in a name leads out of it.
    const cwd = join(folder, '1/2/3/4/5/6')
    mkdirSync(cwd, { recursive: true })
    for (const name of ['a', 'b']) writeFileSync(join(cwd, name), '')
    const log = join(folder, 'log')
    const script = `__status=${status}\n${PREAMBLE}`
    execFileSync('/bin/bash', ['--norc', '--noprofile', '-c', `exec 9>>"$0"; ${script}`, log], {
      cwd,
      env: { HOME: cwd, LC_ALL: 'C.UTF-8', PATH: '/usr/bin:/bin' },
      input: batch.map(({ line }) => `${line}\0`).join(''),
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: 120_000,
    })
    const ran = commandsIn(readFileSync(log, 'utf8'))
    if (ran.length !== batch.length) return [`bash took ${ran.length} of ${batch.length} lines`]
    const wrong = batch.flatMap(({ line, stages }, at) => {
      const [ours, theirs] = [shown(expected(stages, status)), shown(ran[at] ?? [])]
      return ours === theirs ? [] : [`${JSON.stringify(line)}: read as ${ours}, bash runs ${theirs}`]
    })
    const made = readdirSync(cwd).filter(
      (name) => !batch.some(({ stages }) => writes(stages).includes(name)) && name !== 'a' && name !== 'b',
    )
    return [...wrong, ...made.map((name) => `bash made a file that no line names: ${name}`)]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const writes = (stages: readonly Stage[]): readonly string[] =>
  stages.flatMap(({ redirects }) => redirects.flatMap(pathOf))

/** The words of every command that runs when each ends with this status. */
function expected(stages: readonly Stage[], status: number): readonly (readonly string[])[] {
  let before: number | undefined
  return pipelines(stages).flatMap(({ joint, stages: piped }) => {
    if (!runsAfter(joint, before)) return []
    before = status
    return piped.map(({ argv }) => argv)
  })
}

/** The commands of a pipeline start at once, so that their order says nothing. */
const shown = (commands: readonly (readonly string[])[]): string =>
  commands
    .map((argv) => JSON.stringify(argv))
    .toSorted()
    .join(' ')

function commandsIn(log: string): readonly (readonly (readonly string[])[])[] {
  const parts = log.split('\0')
  const lines: (readonly string[])[][] = []
  for (let at = 0; at < parts.length - 1;) {
    const part = parts[at] ?? ''
    if (part === 'LINE') {
      lines.push([])
      at += 1
      continue
    }
    const count = Number(part)
    lines.at(-1)?.push(parts.slice(at + 1, at + 1 + count))
    at += 1 + count
  }
  return lines
}
