import { subcommandAt } from './git.ts'

/** A command as it must be started, and the whole environment it may see. */
interface Hardened {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

// No POSIXLY_CORRECT, LD_*, GREP_*, LESSOPEN, BASH_ENV: what is not named here is not there. Spec: weaknesses 2 and 3.
const ENV = {
  PATH: '/usr/bin:/bin',
  LC_ALL: 'C.UTF-8',
  HOME: '/nonexistent',
  PAGER: 'cat',
  EDITOR: 'false',
} as const

const GIT_ENV = {
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_EDITOR: 'false',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_SSH_COMMAND: 'false',
  GIT_TERMINAL_PROMPT: '0',
} as const

// A repository's own configuration may name programs; these take its place.
const GIT_CONFIG = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.attributesFile=/dev/null',
  'core.sshCommand=false',
  'core.alternateRefsCommand=false',
  'gpg.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  'log.showSignature=false',
  'commit.gpgSign=false',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
  'submodule.recurse=false',
] as const

const NO_HELPERS = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'] as const
const GIT_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['status', ['--ignore-submodules=all']],
  ['diff', NO_HELPERS],
  ['log', NO_HELPERS],
  ['show', NO_HELPERS],
])

/**
 * How a granted command is run: with nothing of our own environment, and git with every helper switched off that a
 * repository could name. `hidden`: names and paths below the repository's root that git's content commands leave out.
 */
export function hardened(argv: readonly string[], hidden: readonly string[] = []): Hardened {
  if (argv[0] !== 'git') return { argv, env: ENV }
  const words = argv.slice(1)
  const at = subcommandAt(words)
  const [subcommand = '', ...rest] = words.slice(at)
  const config = GIT_CONFIG.flatMap((setting) => ['-c', setting])
  const options = GIT_OPTIONS.get(subcommand)
  const leaveOut = options === undefined || subcommand === 'status' ? [] : hidden.flatMap(exclusions)
  return {
    argv: ['git', '--no-pager', ...config, subcommand, ...(options ?? []), ...rest, ...leaveOut],
    env: { ...ENV, ...GIT_ENV },
  }
}

/** git leaves out every file of this name or path and all below it, in any case, wherever in the repository it lies. */
const exclusions = (path: string): readonly string[] =>
  ['', '/**'].map((tail) => `:(top,exclude,icase,glob)**/${path.replace(/^\/+/, '')}${tail}`)
