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
  ['blame', ['--no-textconv']],
  ['grep', ['--no-textconv', '--no-recurse-submodules']],
])
/** Those whose output may hold any file of the repository, so that patterns have to leave some out. */
const SHOW_ANY = new Set(['diff', 'log', 'show', 'grep'])

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
  const leaveOut = takesPatterns(subcommand, rest) ? [...new Set(hidden.flatMap(exclusions))] : []
  return {
    argv: ['git', '--no-pager', ...config, subcommand, ...(options ?? []), ...rest, ...leaveOut],
    env: { ...ENV, ...GIT_ENV },
  }
}

/**
 * `git log --follow` takes one path and no pattern; two files of revisions are compared without any. The rules let both
 * pass only for files that are not protected.
 */
function takesPatterns(subcommand: string, words: readonly string[]): boolean {
  if (!SHOW_ANY.has(subcommand)) return false
  const end = words.indexOf('--')
  const before = end < 0 ? words : words.slice(0, end)
  if (subcommand === 'log') return !before.includes('--follow')
  return subcommand !== 'diff' || !before.some((word) => !word.startsWith('-') && word.includes(':'))
}

/**
 * git leaves out every file of this name or path and all below it, in any case, wherever in the repository it lies: read as
 * a pattern, and letter by letter.
 */
function exclusions(path: string): readonly string[] {
  const relative = path.replace(/^\/+/, '')
  return [relative, relative.replace(/[*?[\]\\]/g, String.raw`\$&`)].flatMap((each) =>
    ['', '/**'].map((tail) => `:(top,exclude,icase,glob)**/${each}${tail}`),
  )
}
