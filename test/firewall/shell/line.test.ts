import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc, test } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { realDisk } from '../../../src/firewall/disk.io.ts'
import { openSandbox, type Sandbox } from '../../../src/firewall/places.ts'
import { PolicySchema } from '../../../src/firewall/policy.ts'
import { expandStage } from '../../../src/firewall/shell/expand.ts'
import { readLine } from '../../../src/firewall/shell/line.ts'
import type { Stage } from '../../../src/firewall/shell/stage.ts'
import { DEMO_POLICY } from '../workspace.ts'
import { anyArgumentText, anyPattern, anyRevision, anyShellText, anySpelledWord } from './generators.ts'

/** The commands of a line as they are spelled. */
const stagesOf = (line: string): readonly Stage[] | undefined => {
  const reading = readLine(line)
  return reading.ok ? reading.stages.map(({ joint, argv, redirects }) => ({ joint, argv, redirects })) : undefined
}

describe('what a line may hold (spec 2.4)', () => {
  it.each([
    ['ls', ['ls']],
    ['ls -la normal', ['ls', '-la', 'normal']],
    ["grep -n -e 'a|b' f", ['grep', '-n', '-e', 'a|b', 'f']],
    ['grep "two words" f', ['grep', 'two words', 'f']],
    ['cat file\\ with\\ spaces', ['cat', 'file with spaces']],
    ['head --lines=5 f', ['head', '--lines=5', 'f']],
    ['wc -l a b c', ['wc', '-l', 'a', 'b', 'c']],
    ["grep -e 'it''s' x", ['grep', '-e', 'its', 'x']],
    ["grep 'it'\\''s' x", ['grep', "it's", 'x']],
    ['grep "a\\"b\\\\c\\d" x', ['grep', 'a"b\\c\\d', 'x']],
    ["grep '' x", ['grep', '', 'x']],
    ["grep 'é ü' x", ['grep', 'é ü', 'x']],
    ['\tls\t-l ', ['ls', '-l']],
    ['ls;', ['ls']],
    ['git diff HEAD~1', ['git', 'diff', 'HEAD~1']],
    ['git diff main~2..HEAD^', ['git', 'diff', 'main~2..HEAD^']],
    ['git show HEAD^^:a.ts', ['git', 'show', 'HEAD^^:a.ts']],
    ['A=1 ls', ['A=1', 'ls']],
    ["ls A='x y'", ['ls', 'A=x y']],
    ['git diff HEAD@{1}', ['git', 'diff', 'HEAD@{1}']],
    ['git log @{u}..HEAD', ['git', 'log', '@{u}..HEAD']],
    ['git log main@{upstream}..', ['git', 'log', 'main@{upstream}..']],
    ['git show v1.0^{commit}', ['git', 'show', 'v1.0^{commit}']],
    ['find . ! -name a', ['find', '.', '!', '-name', 'a']],
  ])('%j is %j', (line, argv) => {
    expect(stagesOf(line)).toEqual([{ joint: ';', argv, redirects: [] }])
  })

  it.each([
    ...[
      '',
      ' ',
      'ls & ls',
      'ls &',
      'ls |& wc',
      '(ls)',
      '{ ls; }',
      'ls $HOME',
      'ls `x`',
      'ls $(x)',
      'ls *',
      'ls ?',
      'ls [a]',
    ],
    ...[
      'ls {a,b}',
      'ls ~',
      'ls # comment',
      '! ls',
      'ls ^x',
      'cat =ls',
      'ls "$HOME"',
      'ls "`x`"',
      'ls "\\$HOME"',
      'ls "a!b"',
    ],
    ...['ls\nls', 'ls\r', 'ls\0', "ls 'a", 'ls "a', 'ls \\', 'cat <<E', 'cat <<< x', 'cat <(ls)', 'ls >(x)', 'ls >| f'],
    ...[
      'ls <> f',
      'ls >& f',
      'ls &> f',
      'ls 3> f',
      'ls 2<f',
      'ls 0> f',
      'ls > ',
      'ls >',
      '| ls',
      'ls |',
      'ls &&',
      '; ls',
      'ls ;; ls',
    ],
    ...[
      'ls || || ls',
      'if true',
      'for x in y',
      'while true',
      'time ls',
      'function f',
      'f() ls',
      '[[ a ]]',
      'coproc ls',
      'do ls',
    ],
    ...[
      "'ls' x",
      '"ls" x',
      'l\\s x',
      "l''s",
      'ls > a > b',
      'ls > a | wc',
      'cat a | wc < b',
      'cat < a < b',
      'ls 2> a 2>&1',
      '> f',
    ],
    ...[
      "echo $'a'",
      'echo $"a"',
      'echo $((1))',
      'ls\u00a0-l',
      'ls é',
      "ls 'a\u200bb'",
      "ls '\u202e'",
      "ls 'a\u2028b'",
      "ls '\u0085'",
    ],
    ...[
      "ls '\ud800'",
      'ls HEAD~1',
      'git show .env~1',
      'git show HEAD~1x',
      'git diff HEAD@{a,b}',
      'git diff HEAD@{1..3}',
      'git show HEAD^{/fix}',
      'git log {a}',
      'ls HEAD@{1}',
      'find . !-name a',
      'find . !',
      'ls ! a',
      'find . | ! wc',
      'cat 2>&1x',
      'cat 2>&1>f',
      'ls \u007f',
    ],
    ...[
      'true ${a:=b}',
      '{touch,marker}',
      'touch${IFS}marker',
      "bash <<'E'",
      'ls %a*',
      'ls a#b',
      'a=(b) ls',
      'a[0]=1 ls',
    ],
  ])('%j is not taken', (line) => {
    expect(readLine(line)).toMatchObject({ ok: false })
  })

  it.each([
    ['ls > f', { kind: 'write', descriptor: 1, append: false, path: 'f' }],
    ['ls >> "a b"', { kind: 'write', descriptor: 1, append: true, path: 'a b' }],
    ['ls 2>f', { kind: 'write', descriptor: 2, append: false, path: 'f' }],
    ['ls 1>f', { kind: 'write', descriptor: 1, append: false, path: 'f' }],
    ['ls < f', { kind: 'read', path: 'f' }],
    ['< f ls', { kind: 'read', path: 'f' }],
    ['ls 2>/dev/null', { kind: 'discard', descriptor: 2 }],
    ['ls >/dev/null', { kind: 'discard', descriptor: 1 }],
    ['ls </dev/null', { kind: 'empty' }],
    ['ls 2>&1', { kind: 'join', descriptor: 2, into: 1 }],
    ['ls >&2', { kind: 'join', descriptor: 1, into: 2 }],
  ])('%j redirects', (line, redirect) => {
    expect(stagesOf(line)).toEqual([{ joint: ';', argv: ['ls'], redirects: [redirect] }])
  })

  it.each([
    ['words2>f', ['words2']],
    ["'a'2>f", undefined],
    ['ls a2>f', ['ls', 'a2']],
    ['ls 2 >f', ['ls', '2']],
  ])('tells a descriptor from a word: %j', (line, argv) => {
    expect(stagesOf(line)?.[0]?.argv).toEqual(argv)
  })

  it.each([
    { what: 'a long line', line: `echo ${'x '.repeat(17_000)}` },
    { what: 'a long line in bytes', line: `echo '${'é'.repeat(17_000)}'` },
    { what: 'many words', line: `echo ${'x '.repeat(1000)}` },
    { what: 'a long word', line: `echo ${'x'.repeat(9000)}` },
    { what: 'a word of many bytes', line: `echo '${'é'.repeat(4100)}'` },
    { what: 'many commands', line: Array<string>(51).fill('true').join(' && ') },
  ])('$what is refused', ({ line }) => {
    expect(readLine(line)).toMatchObject({ ok: false })
  })

  it('takes as many commands as it says', () => {
    expect(stagesOf(Array<string>(50).fill('true').join(' && '))).toHaveLength(50)
  })
})

describe('patterns over files', () => {
  it.each([
    ['ls ./*.ts', [1]],
    ['wc -l src/*.ts src/a/?.js', [2, 3]],
    ['cat a*', [1]],
    ['cat ../x/a?c*', [1]],
    ['ls *', undefined],
    ['ls *.ts', undefined],
    ['ls ?', undefined],
    ['ls -*', undefined],
    ['ls ./.*', undefined],
    ['ls .e*', undefined],
    ['ls src/**', undefined],
    ['ls src/**/*.ts', undefined],
    ['ls src/*/a.ts', undefined],
    ['ls src/[ab]*', undefined],
    ['ls src/*.{a,b}', undefined],
    ['ls src/*$x', undefined],
    ['ls ~/*', undefined],
    ["ls 'src/'*", undefined],
    ['ls src/*"a"', undefined],
    ['ls x=src/*', undefined],
    ['ls a:b/*', undefined],
    ['src/*', undefined],
    ['ls > src/*', undefined],
    ['ls < src/*', undefined],
  ])('%j has them at %j', (line, expands) => {
    const reading = readLine(line)
    expect(reading.ok ? reading.stages[0]?.expands : undefined).toEqual(expands)
  })

  it.each([
    ['grep -rn --include=*.ts foo src', [2]],
    ['grep -rn --include=*.test.ts foo src', [2]],
    ['grep -rn --exclude=*.ts foo src', undefined],
    ['grep -rn --include=* foo src', undefined],
    ['grep -rn --include=*[a] foo src', undefined],
    ['ls --include=*.ts', undefined],
    ['find . -name *.ts', undefined],
  ])('%j keeps them at %j', (line, keeps) => {
    const reading = readLine(line)
    expect(reading.ok ? reading.stages[0]?.keeps : undefined).toEqual(keeps)
  })
})

describe('laws', () => {
  test.prop([fc.array(anySpelledWord, { maxLength: 5 })], { numRuns: 2000 })(
    'every way to quote gives the word back',
    (words) => {
      const line = ['prog', ...words.map(({ raw }) => raw)].join(' ')
      expect(stagesOf(line)).toEqual([
        { joint: ';', argv: ['prog', ...words.map(({ value }) => value)], redirects: [] },
      ])
    },
  )

  test.prop([fc.oneof(anyShellText, fc.string({ unit: 'binary' }))], { numRuns: 2000 })(
    'no text breaks the reader',
    (text) => {
      expect(readLine(text).ok).toBeTypeOf('boolean')
    },
  )

  test.prop([anySpelledWord, fc.constantFrom('$x', '`x`', '[a]*', '**', '{a,b}', '$(x)', '&', '(', '#', '!')], {
    numRuns: 500,
  })('a word is refused once anything in it is replaced by a shell', ({ raw }, sign) => {
    expect(readLine(`prog ${raw}${sign}`).ok).toBe(false)
    expect(readLine(`prog ${sign}${raw}`).ok).toBe(false)
  })
})

/** Prints the words of every command that is not found, in one write: `<`, the words, `>`. */
const RECORDER = `
command_not_found_handle() { printf '%s\\0' '<' "$@" '>' >&9; }
while IFS= read -r -d '' line; do eval "$line" >/dev/null 2>/dev/null </dev/null; printf '=\\0' >&9; done
`

/** What a pattern that gets through would match. */
const FILES = ['a', 'b', 'ab', '.env', 'x', '-n', 'a b', 'abc.ts', 'bé', 'a.ts']

describe('against a real bash', () => {
  let folder = ''
  let sandbox: Sandbox
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'shell-line-')))
    mkdirSync(join(folder, 'd'))
    for (const name of FILES) {
      writeFileSync(join(folder, name), '')
      writeFileSync(join(folder, 'd', name), '')
    }
    const policy = PolicySchema.parse({ ...DEMO_POLICY, protected_paths: ['.env'], writable_dirs: [] })
    sandbox = openSandbox(policy, { disk: realDisk, folder, home: '/root', protect: [] })
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  /** The words of each command of each line, as bash hands them to programs. */
  function bashWords(lines: readonly string[]): readonly (readonly (readonly string[])[])[] {
    const { stdout } = spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', `exec 9>&1\n${RECORDER}`], {
      cwd: folder,
      env: { PATH: '/nonexistent', HOME: '/root', LC_ALL: 'C.UTF-8' },
      input: lines.map((line) => `${line}\0`).join(''),
      encoding: 'utf8',
    })
    const found: string[][][] = [[]]
    let current: string[] | undefined
    for (const word of stdout.split('\0').slice(0, -1)) {
      if (current !== undefined && word === '>') current = undefined
      else if (current !== undefined) current.push(word)
      else if (word === '=') found.push([])
      else found.at(-1)?.push((current = []))
    }
    return found.slice(0, -1)
  }

  /** The words of each command with names in the place of patterns; undefined when a pattern is refused. */
  const expandedIn = (line: string): readonly (readonly string[])[] | undefined => {
    const reading = readLine(line)
    const found = (reading.ok ? reading.stages : []).map((stage) => expandStage(stage, folder, sandbox.look()))
    return found.every((each) => 'stage' in each) ? found.map(({ stage }) => stage.argv) : undefined
  }
  const ours = (line: string): readonly (readonly string[])[] => expandedIn(line) ?? []
  // `>` alone would end a record early; `||` need not run, nor what reads a file that is not there; only a plain name is
  // looked up as a program.
  const isClear = (line: string): boolean => {
    const stages = stagesOf(line) ?? []
    return (
      stages.length > 0 &&
      expandedIn(line) !== undefined &&
      stages.every(({ joint, argv }) => joint !== '||' && !argv.includes('>') && /^[\w-]+$/.test(argv[0] ?? '')) &&
      stages.every(({ redirects }) => redirects.every((each) => each.kind !== 'read' || FILES.includes(each.path)))
    )
  }
  const sorted = (commands: readonly (readonly string[])[]): readonly string[] =>
    commands.map((argv) => argv.join('\0')).sort()

  test.prop([fc.array(anyArgumentText, { minLength: 100, maxLength: 100 })], { numRuns: 40 })(
    'every word of every accepted line is what bash hands to the program',
    (texts) => {
      const lines = texts.map((text) => `prog ${text}`).filter(isClear)
      expect(bashWords(lines).map(sorted)).toEqual(lines.map((line) => sorted(ours(line))))
    },
  )

  test.prop([fc.array(anyPattern, { minLength: 100, maxLength: 100 })], { numRuns: 20 })(
    'every pattern that is taken gives the names that bash finds',
    (patterns) => {
      const lines = patterns.map((pattern) => `prog ${pattern} d/x`).filter(isClear)
      expect(bashWords(lines).map(sorted)).toEqual(lines.map((line) => sorted(ours(line))))
    },
  )

  test.prop([fc.array(anyRevision, { minLength: 100, maxLength: 100 })], { numRuns: 20 })(
    'revisions of git are text for bash',
    (revisions) => {
      const lines = revisions.map((revision) => `git log ${revision}`).filter(isClear)
      expect(bashWords(lines).map(sorted)).toEqual(lines.map((line) => sorted(ours(line))))
    },
  )

  test.prop(
    [
      fc.array(
        fc.array(fc.tuple(fc.constantFrom('|', '&&', ';'), fc.array(anySpelledWord, { maxLength: 3 })), {
          minLength: 1,
          maxLength: 4,
        }),
        { minLength: 50, maxLength: 50 },
      ),
    ],
    { numRuns: 10 },
  )('commands joined by signs reach bash as we read them', (drafts) => {
    const lines = drafts
      .map((parts) =>
        parts
          .map(([joint, words], at) => `${at === 0 ? '' : joint} prog ${words.map(({ raw }) => raw).join(' ')}`)
          .join(''),
      )
      .filter(isClear)
    expect(bashWords(lines).map(sorted)).toEqual(lines.map((line) => sorted(ours(line))))
  })
})
