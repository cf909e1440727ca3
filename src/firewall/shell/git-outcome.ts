import type { Places } from '../places.ts'
import { subcommandAt } from './git.ts'
import type { Reading } from './grammar.ts'
import { repositoryAt, type Repository } from './repository.ts'

/** What the repository adds to the words of a git command. `fault` refuses, `asks` wants a person. */
interface GitFinding {
  readonly fault?: string
  readonly hint?: string
  readonly asks?: string
}

// With --follow no pattern can leave anything out, so that a file's earlier names would be shown in full.
const FOLLOW = new Set([
  ...['--follow', '--oneline', '-n', '--max-count', '--skip', '--stat', '--numstat', '--shortstat', '--summary'],
  ...[
    '--name-only',
    '--name-status',
    '--format',
    '--pretty',
    '--date',
    '--author',
    '--committer',
    '--since',
    '--until',
  ],
  ...[
    '--after',
    '--before',
    '--abbrev-commit',
    '--no-decorate',
    '--decorate',
    '--no-color',
    '--reverse',
    '--no-merges',
  ],
  ...['--merges', '--first-parent', '--all', '--relative-date', '--no-patch', '--graph', '--compact-summary'],
])
const WHOLE = 'Compare whole revisions and name the folder behind --, as in git diff A B -- FOLDER.'
const TREES: GitFinding = { fault: 'a folder of a revision, where paths are not what they are elsewhere', hint: WHOLE }
const BARE_FOLLOW = 'With --follow name one file behind -- and ask for no contents.'
const ABOVE = 'A person has to make the folder of the repository the sandbox_root of the policy.'

/** Those that look at the work tree or show contents, and so start what the settings name. */
const READS_FILES = new Set(['status', 'diff', 'log', 'show', 'blame', 'grep', 'ls-files', 'describe', 'stash'])

interface Ground {
  readonly reading: Reading
  readonly repository: Repository
  /** True for an unprotected file, as it lies on the disk now. */
  readonly isFile: (path: string, from: string) => boolean
  readonly cwd: string
}

type Judge = (ground: Ground) => GitFinding

const RULES: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ['diff', (ground) => (comparesTrees(ground) ? TREES : {})],
  ['grep', ({ reading }) => (reading.behind.length > 0 ? TREES : {})],
  ['log', ({ reading, isFile, cwd }) => (reading.options.has('--follow') ? follow(reading, isFile, cwd) : {})],
  ['remote', ({ repository }) => (repository.hasLogins ? { asks: 'an address may hold a login' } : {})],
])

/** What is wrong with a git command in this folder, beyond its words. */
export function judgeGit(argv: readonly string[], reading: Reading, cwd: string, places: Places): GitFinding {
  const words = argv.slice(1)
  const subcommand = words[subcommandAt(words)] ?? ''
  if (subcommand.startsWith('--') || subcommand === 'version') return {}
  const repository = repositoryAt(cwd, places)
  if (repository.fault !== undefined) return { fault: repository.fault, hint: ABOVE }
  const isFile = (path: string, from: string): boolean => {
    const place = places.trace(path, from)
    return place.kind === 'open' && places.disk.lstat(place.path)?.kind === 'file'
  }
  const finding = RULES.get(subcommand)?.({ reading, repository, isFile, cwd }) ?? {}
  const asks = finding.fault === undefined && repository.startsPrograms && READS_FILES.has(subcommand)
  return asks ? { asks: 'the settings of the repository name a program that git would start', ...finding } : finding
}

function follow({ options, files }: Reading, isFile: Ground['isFile'], cwd: string): GitFinding {
  const isPlain = [...options].every((option) => FOLLOW.has(option.split('=', 1)[0] ?? ''))
  const isOne = files.filter((path) => isFile(path, cwd)).length === 1
  return isPlain && isOne ? {} : { fault: '--follow without one file, or with contents', hint: BARE_FOLLOW }
}

/** Below a folder of a revision, paths start at that folder, so that no protected path is recognized. */
const comparesTrees = ({ reading, repository, isFile, cwd }: Ground): boolean =>
  reading.behind.some((path) => !isFile(path, /^\.{1,2}\//.test(path) ? cwd : (repository.top ?? cwd)))
