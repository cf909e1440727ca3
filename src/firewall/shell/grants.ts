import type { Places } from '../places.ts'
import type { Policy } from '../policy.ts'
import { hasGrammar } from './read-argv.ts'

/** What the policy says about a command before its words are looked at. */
export type Grant = 'ok' | 'exact' | 'ask' | 'none'

// They change the shell that the next command runs in, or run a text as a command: no policy can grant them.
const CHANGES_THE_SHELL = new Set([
  ...['.', 'alias', 'bind', 'break', 'builtin', 'cd', 'command', 'compopt', 'continue', 'declare', 'dirs', 'disown'],
  ...[
    'enable',
    'eval',
    'exec',
    'exit',
    'export',
    'fc',
    'getopts',
    'hash',
    'history',
    'let',
    'local',
    'logout',
    'mapfile',
  ],
  ...[
    'popd',
    'printf',
    'pushd',
    'read',
    'readarray',
    'readonly',
    'return',
    'set',
    'shift',
    'shopt',
    'source',
    'suspend',
  ],
  ...['trap', 'typeset', 'ulimit', 'umask', 'unalias', 'unset', 'wait'],
])

/**
 * Which list of the policy grants the command. A name on `shell_allowlist` without a grammar is only asked about. A program
 * with a slash is granted by `shell_exact` alone, and means the file that it leads to.
 */
export function grantOf(argv: readonly string[], cwd: string, policy: Policy, places: Places): Grant {
  const program = argv[0] ?? ''
  if (program === '' || program.includes('=') || CHANGES_THE_SHELL.has(program)) return 'none'
  if (policy.shell_exact.some((entry) => isEntry(entry, argv, cwd, places))) return 'exact'
  if (program.includes('/')) return 'none'
  if (policy.shell_allowlist.includes(program)) return hasGrammar(program) ? 'ok' : 'ask'
  return policy.shell_ask.includes(program) ? 'ask' : 'none'
}

/** True when the program alone would run without a person, whatever else is granted. */
export const runsAnyway = (program: string, policy: Policy): boolean =>
  policy.shell_allowlist.includes(program) && hasGrammar(program)

function isEntry(entry: readonly string[], argv: readonly string[], cwd: string, places: Places): boolean {
  if (entry.length !== argv.length || !entry.every((word, at) => at === 0 || word === argv[at])) return false
  const [granted = '', program = ''] = [entry[0], argv[0]]
  if (!granted.includes('/') || !program.includes('/')) return granted === program
  const [wanted, given] = [places.trace(granted, places.root), places.trace(program, cwd)]
  return wanted.kind !== 'refused' && given.kind !== 'refused' && wanted.path === given.path
}
