import { fc } from '@fast-check/vitest'

/** A word as a person would spell it for a shell, and the text that the program must get. */
interface SpelledWord {
  readonly raw: string
  readonly value: string
}

const bare = fc.stringMatching(/^[A-Za-z0-9_%+,\-./:@][A-Za-z0-9_%+,\-./:=@]{0,8}$/)
const singleText = fc.stringMatching(/^[ -&(-~]{0,8}$/)
const doubleText = fc.stringMatching(/^[ -~]{0,8}$/).filter((text) => !/[$`!]/.test(text))
const escaped = fc.stringMatching(/^[ -~]$/)

const piece: fc.Arbitrary<SpelledWord> = fc.oneof(
  bare.map((text) => ({ raw: text, value: text })),
  singleText.map((text) => ({ raw: `'${text}'`, value: text })),
  doubleText.map((text) => ({ raw: `"${text.replace(/["\\]/g, String.raw`\$&`)}"`, value: text })),
  escaped.map((sign) => ({ raw: `\\${sign}`, value: sign })),
)

/** A word in a mix of all ways to quote. */
export const anySpelledWord: fc.Arbitrary<SpelledWord> = fc
  .array(piece, { minLength: 1, maxLength: 4 })
  .map((pieces) => ({
    raw: pieces.map(({ raw }) => raw).join(''),
    value: pieces.map(({ value }) => value).join(''),
  }))

const SIGNS = [
  ...[
    'a',
    'b',
    '.env',
    'x y',
    ' ',
    '\t',
    "'",
    '"',
    '\\',
    '$',
    '`',
    '!',
    '*',
    '?',
    '[',
    ']',
    '{',
    '}',
    '~',
    '#',
    '^',
    '=',
    ',',
  ],
  ...[
    '(',
    ')',
    '&',
    '|',
    ';',
    '<',
    '>',
    '2>&1',
    '&&',
    '||',
    '>>',
    '$HOME',
    '$(echo a)',
    '`echo a`',
    '{a,b}',
    '~root',
    '1',
    '2',
  ],
  ...[
    '-',
    '/',
    ':',
    '%',
    '+',
    '@',
    "$'a'",
    '$"a"',
    '=a',
    'HEAD~1',
    '\n',
    '\r',
    '\0',
    '\u00a0',
    '\u200b',
    'é',
    '[[',
    ';;',
    '<<E',
  ],
] as const

/** Text of the signs that mean something to a shell, in no order. */
export const anyShellText: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...SIGNS), { maxLength: 10 })
  .map((signs) => signs.join(''))

/** The same without what would write a file or start a second line. */
export const anyArgumentText: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...SIGNS.filter((sign) => !/[>\n\0]/.test(sign))), { maxLength: 8 })
  .map((signs) => signs.join(''))

/** File names of the demo workspace, good and bad, in several spellings. */
export const anyPath: fc.Arbitrary<string> = fc.constantFrom(
  ...[
    '.env',
    './.env',
    'normal/../.env',
    '.ENV',
    'fake_credentials.txt',
    'malicious_repo/config-link',
    'normal/notes.txt',
  ],
  ...[
    '.',
    '..',
    'normal',
    '/etc/passwd',
    '~/x',
    '/proc/self/cwd/.env',
    'canary/must-remain.txt',
    'no-such-file',
    '-',
    '',
  ],
)

const program = fc.constantFrom(
  ...[
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
  ],
  ...['cmp', 'sha256sum', 'echo', 'git', 'curl', 'python3', 'cd'],
)
const option = fc.constantFrom(
  ...[
    '-r',
    '-R',
    '-n',
    '-e',
    '-f',
    '-f.env',
    '--file=.env',
    '-d',
    'recurse',
    '-drec',
    '--exclude-from=.env',
    '--',
    '-o',
    '-c',
  ],
  ...[
    '--output=x',
    '-newer',
    '-samefile',
    '-exec',
    '-maxdepth',
    '0',
    '1',
    '-name',
    '-L',
    '-s',
    '--files0-from=.env',
    '-i',
    '-w',
  ],
  ...[
    'log',
    'diff',
    'show',
    'status',
    '-p',
    'HEAD',
    'HEAD:.env',
    '-C',
    '--no-index',
    '-sdf',
    '--recursive',
    '-5',
    'x',
    '1,5p',
  ],
)

/** Commands of known programs with options and paths in any order. */
export const anyCommand: fc.Arbitrary<readonly string[]> = fc
  .tuple(program, fc.array(fc.oneof(option, anyPath), { maxLength: 6 }))
  .map(([name, words]) => [name, ...words])

/** A pattern over files, most of them of the kind that is taken. */
export const anyPattern: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', './', 'd/', './d/', 'd//', 'none/', '../'),
    fc.array(fc.constantFrom('*', '?', 'a', 'b', '.', 'ts', '-', 'e', '[', '~', '{', '\\', "'"), {
      minLength: 1,
      maxLength: 5,
    }),
  )
  .map(([folder, parts]) => folder + parts.join(''))

/** A revision of git, or a text that is almost one. */
export const anyRevision: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom('HEAD', 'v1.0', '@', '{', '}', '1', 'u', '^', '~', '..', ':', 'a.ts', ',', '{u}', '@{1}', '^{}'),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''))
