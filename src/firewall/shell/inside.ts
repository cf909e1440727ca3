import { readLine } from './line.ts'
import type { Stage } from './stage.ts'

/** What a command that is asked about would run in turn. A text says why nobody can tell. */
export type Inside = { readonly stages: readonly Stage[] } | { readonly detail: string }

const NOTHING: Inside = { stages: [] }

/** How a program that starts another one is called: its options whose value is the next word. */
interface Wrapper {
  readonly values: readonly string[]
  /** Words before the program that are neither options nor their values. */
  readonly before: number
}

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['busybox', { values: [], before: 0 }],
  ['env', { values: ['-u', '--unset'], before: 0 }],
  ['ionice', { values: ['-c', '-n', '--class', '--classdata'], before: 0 }],
  ['nice', { values: ['-n', '--adjustment'], before: 0 }],
  ['nohup', { values: [], before: 0 }],
  ['setsid', { values: [], before: 0 }],
  ['stdbuf', { values: ['-i', '-o', '-e', '--input', '--output', '--error'], before: 0 }],
  ['timeout', { values: ['-s', '-k', '--signal', '--kill-after'], before: 1 }],
  ['toybox', { values: [], before: 0 }],
  [
    'xargs',
    {
      values: [
        '-I',
        '-d',
        '-E',
        '-a',
        '-L',
        '-n',
        '-P',
        '-s',
        '--arg-file',
        '--delimiter',
        '--max-args',
        '--max-procs',
      ],
      before: 0,
    },
  ],
])
/** Variables that change how a program speaks, not what it runs. */
const HARMLESS = /^(?:LC_[A-Z]{1,20}|LANG|LANGUAGE|TZ|CI|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|NODE_ENV)=/
const SHELLS = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'ash', 'fish'])
const POWERSHELLS = new Set(['powershell', 'pwsh'])

/**
 * The commands in the words of a wrapper (`timeout 5 npm test`) or of a shell (`bash -c 'npm test'`): a person who grants
 * the outer name grants no other program with it. Empty for a program that starts none by its words.
 */
export function insideOf(argv: readonly string[]): Inside {
  const [program = '', ...words] = argv
  const name = program.toLowerCase().replace(/\.exe$/, '')
  const wrapper = WRAPPERS.get(name)
  if (wrapper !== undefined) return wrapped(name, words, wrapper)
  if (SHELLS.has(name)) return inShell(words)
  if (POWERSHELLS.has(name)) return inPowerShell(words)
  return name === 'cmd' ? inText(afterWord(words, /^\/[ck]/i)) : NOTHING
}

function wrapped(name: string, words: readonly string[], { values, before }: Wrapper): Inside {
  let at = 0
  for (let left = before; at < words.length; at++) {
    const word = words[at] ?? ''
    const problem = name === 'env' ? envProblem(word) : undefined
    if (problem !== undefined) return { detail: problem }
    if (values.includes(word)) at++
    else if (!isAside(word, name) && left-- <= 0) break
  }
  const argv = words.slice(at)
  return argv.length === 0 ? NOTHING : { stages: [{ joint: ';', argv, redirects: [] }] }
}

/** True for an option and, for env, a variable. */
const isAside = (word: string, name: string): boolean =>
  word.startsWith('-') || (name === 'env' && ASSIGNMENT.test(word))

const ASSIGNMENT = /^[^-=][^=]*=/

function envProblem(word: string): string | undefined {
  if (/^(?:-[a-zA-Z]*[SC]|--[sc])/.test(word)) return 'an option of env that splits a text or changes the folder'
  const changes = ASSIGNMENT.test(word) && !HARMLESS.test(word)
  return changes ? 'a variable for the program, which may change what runs' : undefined
}

/** True for an option of a shell whose value is the next word, in a cluster as well: `-euo pipefail`. */
const takesNext = (word: string): boolean => /^(?:[-+][A-Za-z]*[oO]|--(?:rcfile|init-file))$/.test(word)

/** The text behind the options is the program when one of them is `-c`. */
function inShell(words: readonly string[]): Inside {
  let at = 0
  for (; /^[-+]./.test(words[at] ?? '') && words[at] !== '--'; at++) if (takesNext(words[at] ?? '')) at++
  const hasText = words.slice(0, at).some((word) => /^-[A-Za-z]*c/.test(word) || word === '--command')
  if (!hasText) return NOTHING
  const text = words[words[at] === '--' ? at + 1 : at]
  return text === undefined ? { detail: 'a shell without its text' } : inText([text])
}

/** Options may be shortened, in any case; what is no option is a text, too. */
function inPowerShell(words: readonly string[]): Inside {
  for (const [at, word] of words.entries()) {
    const option = word.toLowerCase().replace(/^(?:--?|\/)/, '')
    if (option === word.toLowerCase()) return inText(words.slice(at))
    if ('encodedcommand'.startsWith(option) || option === 'ec') return { detail: 'an encoded text' }
    if ('command'.startsWith(option)) return inText(words.slice(at + 1))
    if ('file'.startsWith(option)) return NOTHING
    if (!['noprofile', 'nop', 'nologo', 'noninteractive', 'noni'].includes(option)) {
      return { detail: 'an option of a shell that may hold a text' }
    }
  }
  return NOTHING
}

function afterWord(words: readonly string[], option: RegExp): readonly string[] {
  const at = words.findIndex((word) => option.test(word))
  return at < 0 ? [] : words.slice(at + 1)
}

function inText(words: readonly string[]): Inside {
  if (words.length === 0) return NOTHING
  const reading = readLine(words.join(' '))
  if (!reading.ok) return { detail: `a text for a shell with ${reading.detail}` }
  return reading.stages.some(({ expands }) => expands.length > 0)
    ? { detail: 'a text for a shell with patterns' }
    : { stages: reading.stages.map(({ joint, argv, redirects }) => ({ joint, argv, redirects })) }
}
