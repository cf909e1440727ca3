import type { Stage } from './stage.ts'

/** Options of a program without a grammar that start another program, or read or write a file that nobody sees. */
interface Helpers {
  /** One letter each. */
  readonly letters: string
  /** Letters that take the rest of their word as a value, so that no option follows in it. */
  readonly values: string
  /** A start of a name counts as the name. */
  readonly long: readonly string[]
  /** What no word may look like. */
  readonly words?: RegExp
  /** Options whose next word is text, whatever it looks like. */
  readonly text?: readonly string[]
}

const HELPERS: ReadonlyMap<string, Helpers> = new Map<string, Helpers>([
  [
    'tar',
    {
      letters: 'IF',
      values: 'fCTXbgHKLNV',
      long: [
        ...['--to-command', '--checkpoint-action', '--use-compress-program', '--info-script', '--new-volume-script'],
        ...['--rsh-command', '--rmt-command'],
      ],
    },
  ],
  [
    'curl',
    {
      letters: 'KoOTLJDcn:',
      values: 'AbdeEFhHmPQrtuUwxXYyz',
      long: [
        ...['--config', '--output', '--output-dir', '--remote-name', '--remote-name-all', '--remote-header-name'],
        ...['--upload-file', '--location', '--location-trusted', '--next', '--dump-header', '--cookie-jar', '--stderr'],
        ...['--trace', '--trace-ascii', '--libcurl', '--proto-default', '--netrc', '--netrc-file', '--netrc-optional'],
        ...['--etag-save', '--hsts', '--alt-svc', '--unix-socket', '--engine'],
      ],
      // A file's content in the place of data, and addresses that are not of the web.
      words: /^@|^-[dFHw]@|[=<;]@|^[a-zA-Z][\w.-]*[=<]?[@<]|^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i,
    },
  ],
  [
    'wget',
    {
      letters: 'OiePoaKp',
      values: 'tTwQUDXAR',
      long: [
        ...['--output-document', '--input-file', '--execute', '--directory-prefix', '--output-file', '--append-output'],
        ...[
          '--post-file',
          '--body-file',
          '--config',
          '--use-askpass',
          '--load-cookies',
          '--save-cookies',
          '--warc-file',
        ],
      ],
      words: /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i,
    },
  ],
  ['man', { letters: 'PHXC', values: 'LmMSsrEpR', long: ['--pager', '--html', '--gxditview', '--config-file'] }],
  [
    'rg',
    {
      letters: 'z',
      values: 'efgtTmABCEjMdr',
      long: ['--pre', '--hostname-bin', '--search-zip'],
      text: ['-e', '--regexp'],
    },
  ],
  ['ag', { letters: 'z', values: 'ABCGmpW', long: ['--pager', '--search-zip'] }],
  ['fd', { letters: 'xX', values: 'degtESocCj', long: ['--exec', '--exec-batch'] }],
  ['fdfind', { letters: 'xX', values: 'degtESocCj', long: ['--exec', '--exec-batch'] }],
  [
    'less',
    { letters: 'oOkT', values: 'bhjpPtxyzD', long: ['--log-file', '--LOG-FILE', '--lesskey'], words: /^\+.*[!|#sv]/ },
  ],
  ['rsync', { letters: 'e', values: 'fBTM', long: ['--rsh', '--rsync-path'] }],
  ['ssh', { letters: 'oFSEIi', values: 'bcDeJLlmOpQRWw', long: [] }],
  ['scp', { letters: 'oFSDi', values: 'cJlPX', long: [] }],
  ['sftp', { letters: 'oFSDibs', values: 'cJlPRX', long: [] }],
  ['zip', { letters: 'T', values: 'nxibtPO', long: ['--test', '--unzip-command'] }],
  ['split', { letters: '', values: 'abClnt', long: ['--filter'] }],
  ['awk', { letters: '', values: '', long: ['--load', '--include', '--exec'] }],
])

/** The first word that makes a program start another one; undefined when there is none. Names are taken without `.exe`. */
export function helperIn(argv: readonly string[]): string | undefined {
  const [program = '', ...words] = argv
  const helpers = HELPERS.get(program.toLowerCase().replace(/\.exe$/, ''))
  if (helpers === undefined) return undefined
  const end = words.indexOf('--')
  const [options, all] = [end < 0 ? words : words.slice(0, end), words]
  return (
    options.find(
      (word, at) => !isText(options[at - 1], helpers) && isHelper(word, at === 0 && program === 'tar', helpers),
    ) ?? all.find((word) => helpers.words?.test(word) === true)
  )
}

const isText = (before: string | undefined, { text = [] }: Helpers): boolean =>
  before !== undefined && text.includes(before)

/** `bundled`: a first word without a dash is options, too, as tar takes it. */
function isHelper(word: string, bundled: boolean, { letters, values, long }: Helpers): boolean {
  if (word.startsWith('--')) {
    const name = word.split('=', 1)[0] ?? ''
    return name.length > 2 && long.some((each) => each.startsWith(name))
  }
  if (!word.startsWith('-')) return bundled && Array.from(word).some((letter) => letters.includes(letter))
  for (const letter of word.slice(1)) {
    if (letters.includes(letter)) return true
    if (values.includes(letter)) return false
  }
  return false
}

const INTERPRETERS =
  /^(?:(?:ba|z|da|k|a|fi|c|tc)?sh|python\d*(?:\.\d+)?|node|nodejs|deno|bun|perl|ruby|php|lua|Rscript|pwsh|powershell)(?:\.exe)?$/i
/** Options whose value is the next word, so that it is no script. */
const NEXT_IS_VALUE =
  /^(?:[-+][A-Za-z]*[oO]|-[rCWXId]|--(?:require|import|loader|experimental-loader|rcfile|init-file|conditions))$/
const IS_SHELL = /^(?:(?:ba|z|da|k|a|fi|c|tc)?sh)(?:\.exe)?$/i
const IS_PYTHON = /^python/i
/** For a shell `-e` and `-v` are about how it runs, for Python `-E` and `-v`. */
const GIVES_CODE = /^-[A-Za-z]*[cempEVv]|^--(?:eval|print|version|help|command)/
const SHELL_GIVES_CODE = /^-[A-Za-z]*c|^--(?:version|help|command)/
const PYTHON_GIVES_CODE = /^-[A-Za-z]*[cmVh]|^--(?:version|help)/

function codeOptionOf(program: string): RegExp {
  if (IS_SHELL.test(program)) return SHELL_GIVES_CODE
  return IS_PYTHON.test(program) ? PYTHON_GIVES_CODE : GIVES_CODE
}

/** True for a command that reads what another one writes, or a file that a redirect opens. */
export const hasInput = ({ joint, redirects }: Pick<Stage, 'joint' | 'redirects'>): boolean =>
  joint === '|' || redirects.some(({ kind }) => kind === 'read')

/** True for an interpreter that would run whatever its standard input holds, which nobody has seen. */
export function runsInput([program = '', ...words]: readonly string[]): boolean {
  if (!INTERPRETERS.test(program)) return false
  const isValue = (at: number): boolean => NEXT_IS_VALUE.test(words[at - 1] ?? '')
  const first = words.find((word, at) => word === '-' || !(word.startsWith('-') || isValue(at)))
  const gives = codeOptionOf(program)
  if (words.some((word) => gives.test(word))) return false
  return first === undefined || first === '-' || words.some((word) => /^-[A-Za-z]*s/.test(word))
}
