import { describe, expect, it } from 'vitest'
import type { Grammar, Reading, ValueRule } from '../../../src/firewall/shell/grammar.ts'
import { GIT_GRAMMARS } from '../../../src/firewall/shell/grammars-git.ts'
import { SEARCH_GRAMMARS } from '../../../src/firewall/shell/grammars-search.ts'
import { TEXT_GRAMMARS } from '../../../src/firewall/shell/grammars-text.ts'
import { hasGrammar, readArgv } from '../../../src/firewall/shell/read-argv.ts'

const read = (...argv: readonly string[]): Reading => {
  const reading = readArgv(argv)
  if (reading === undefined) throw new Error(`no grammar for ${argv[0] ?? ''}`)
  return reading
}
const passes = (...argv: readonly string[]): boolean => read(...argv).fault === undefined

const PROGRAMS: readonly { readonly name: string; readonly grammar: Grammar; readonly start: readonly string[] }[] = [
  ...Object.entries({ ...TEXT_GRAMMARS, ...SEARCH_GRAMMARS }).map(([name, grammar]) => ({
    name,
    grammar,
    start: [name],
  })),
  ...Object.entries(GIT_GRAMMARS).map(([name, grammar]) => ({ name: `git ${name}`, grammar, start: ['git', name] })),
].map(({ name, grammar, start }) => ({ name, grammar, start: [...start, ...(grammar.needs?.slice(0, 1) ?? [])] }))

/** A value that the rule takes. */
const good = (rule: ValueRule): string => {
  if (typeof rule !== 'string') return rule[0] ?? ''
  return rule === 'number' ? '5' : rule === 'script' ? '5p' : 'x'
}
/** Values that it does not take, the start of a good one among them. */
const bad = (rule: ValueRule): readonly string[] => {
  if (typeof rule !== 'string') {
    return ['', 'nonsense', (rule.at(-1) ?? 'xx').slice(0, -1)].filter((each) => !rule.includes(each))
  }
  return (
    { number: ['', 'x', '5;5'], script: ['w f', '5pw f'], format: ['%G?', 'x%GKx', '%(signature)'] }[rule as string] ??
    []
  )
}
const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')
const lettersOf = ({ flags = '', values = {}, optional = {} }: Grammar): string =>
  [flags, ...Object.keys(values), ...Object.keys(optional)].join('')
const longOf = ({ longFlags = [], longValues = {}, longOptional = {} }: Grammar): readonly string[] => [
  ...longFlags,
  ...Object.keys(longValues),
  ...Object.keys(longOptional),
  'help',
  'version',
]

describe.each(PROGRAMS)('$name', ({ name, grammar, start }) => {
  const needed: Partial<Record<string, readonly string[]>> = { 'git stash': ['list'], sed: ['5p'] }
  const operands = needed[name] ?? []
  const takes = (...words: readonly string[]): boolean => passes(...start, ...words, ...operands)

  it('takes each flag alone and in a cluster, and no other letter', () => {
    const flags = grammar.flags ?? ''
    for (const flag of flags) expect([flag, takes(`-${flag}`)]).toEqual([flag, true])
    if (flags !== '') expect(takes(`-${flags}`)).toBe(true)
    for (const letter of LETTERS.filter((each) => !lettersOf(grammar).includes(each))) {
      const isCount = grammar.dashNumber === true && /\d/.test(letter)
      expect([letter, takes(`-${letter}`)]).toEqual([letter, isCount])
      expect([letter, takes(`-${flags}${letter}x`)]).toEqual([letter, false])
    }
  })

  it('takes each long flag in full only, and without a value', () => {
    for (const name of grammar.longFlags ?? []) {
      expect([name, takes(`--${name}`), takes(`--${name}=x`)]).toEqual([name, true, false])
    }
    for (const name of longOf(grammar)) {
      const shorter = name.slice(0, -1)
      if (!longOf(grammar).includes(shorter)) expect([shorter, takes(`--${shorter}`)]).toEqual([shorter, false])
    }
    expect(takes('--constructor')).toBe(false)
    expect(takes('--__proto__=x')).toBe(false)
  })

  it('takes each value attached or next, none missing, and none that is not in its list', () => {
    for (const [letter, rule] of Object.entries(grammar.values ?? {})) {
      expect([letter, takes(`-${letter}${good(rule)}`), takes(`-${letter}`, good(rule))]).toEqual([letter, true, true])
      expect([letter, passes(...start, `-${letter}`)]).toEqual([letter, false])
      for (const each of bad(rule)) expect([letter, each, takes(`-${letter}`, each)]).toEqual([letter, each, false])
    }
    for (const [name, rule] of Object.entries(grammar.longValues ?? {})) {
      expect([name, takes(`--${name}=${good(rule)}`), takes(`--${name}`, good(rule))]).toEqual([name, true, true])
      expect([name, passes(...start, `--${name}`)]).toEqual([name, false])
      for (const each of bad(rule)) expect([name, each, takes(`--${name}=${each}`)]).toEqual([name, each, false])
    }
  })

  it('lets an optional value be attached only', () => {
    for (const [name, rule] of Object.entries(grammar.longOptional ?? {})) {
      expect([name, takes(`--${name}`), takes(`--${name}=${good(rule)}`)]).toEqual([name, true, true])
      for (const each of bad(rule)) expect([name, each, takes(`--${name}=${each}`)]).toEqual([name, each, false])
    }
    for (const [letter, rule] of Object.entries(grammar.optional ?? {})) {
      expect([letter, takes(`-${letter}`), takes(`-${letter}${good(rule)}`)]).toEqual([letter, true, true])
    }
  })

  it('finds the files that its options and operands name', () => {
    const isFile = (rule: ValueRule): boolean => rule === 'file' || rule === 'patterns'
    for (const [letter, rule] of Object.entries(grammar.values ?? {})) {
      expect(read(...start, `-${letter}`, 'X').files.includes('X')).toBe(isFile(rule))
      expect(read(...start, `-${letter}X`).files.includes('X')).toBe(isFile(rule))
    }
    for (const [name, rule] of Object.entries(grammar.longValues ?? {})) {
      expect(read(...start, `--${name}=X`).files.includes('X')).toBe(isFile(rule))
    }
    const { files } = read(...start, 'A', '--', '-B')
    const expected = {
      files: ['A', '-B'],
      paths: ['A', '-B'],
      revisions: ['A', '-B'],
      pattern: ['-B'],
      search: ['-B'],
      script: ['-B'],
      text: [],
      none: [],
    }
    expect(files).toEqual(expected[grammar.operands])
  })
})

describe('the options of the contract (spec 2.3), as letters', () => {
  it.each([
    ['cat', 'AETbenstuv'],
    ['head', 'cnqvz'],
    ['tail', 'cnqsvz'],
    ['wc', 'Lclmw'],
    ['ls', '1ABCFGHILNQRSTUXZabcdfghiklmnopqrstuvwx'],
    ['grep', 'ABCDEFGHILPRTUVZabcdefhilmnoqrsvwxyz'],
  ])('%s: %s', (name, letters) => {
    expect(
      Array.from(lettersOf({ ...TEXT_GRAMMARS, ...SEARCH_GRAMMARS }[name]!))
        .sort()
        .join(''),
    ).toBe(letters)
  })
})

describe('what only looks harmless', () => {
  it.each([
    ['sort -o out f', false],
    ['sort -oout f', false],
    ['sort -ro out f', false],
    ['sort --output=out f', false],
    ['sort --outp=out f', false],
    ['sort --compress-program=sh f', false],
    ['sort --files0-from=f', false],
    ['sort --random-source=f f', false],
    ['sort -T /tmp f', false],
    ['sort -t : -k2,2n f', true],
    ['uniq f', true],
    ['uniq f out', false],
    ['uniq -c f out', false],
    ['uniq - out', false],
    ['uniq -- f out', false],
    ['tr a b', true],
    ['tr a b c', false],
    ['pwd x', false],
    ['pwd -P', true],
    ['stat f', true],
    ['file -C -m x', false],
    ['file -m magic f', false],
    ['file -f names', false],
    ['file -z f', false],
    ['du --files0-from=f', false],
    ['du -X f', false],
    ['du --exclude-from=f', false],
    ['diff -l a b', false],
    ['diff --from-file=f a', false],
    ['diff --to-file=f a', false],
    ['diff -X f a b', false],
    ['diff a b c', false],
    ['sha256sum -c f', false],
    ['sha256sum --check f', false],
    ['wc --files0-from=f', false],
    ['tail -f f', false],
    ['tail -F f', false],
    ['tail --follow f', false],
    ['tail --pid=1 f', false],
    ['tail -5f f', false],
    ['head -5 f', true],
    ['grep -5 x f', true],
    ['grep --file f', true],
    ['grep -d recurse x f', true],
    ['grep -d rec x f', false],
    ['grep --directories=recurs x f', false],
    ['ls --sort=tim', false],
    ['find . -files0-from f', false],
    ['find -D all .', false],
    ['find -O3 .', false],
    ['find . -name', false],
    ['find . x', true],
    ['find . -type f x', false],
    ['find -H -L -P . -type f', true],
    ['find . ( -name a -o -name b ) -print', true],
    ['find . -newermt 2020-01-01', true],
    ['find . -newerXY f', false],
    ['find . -maxdepth -1', false],
    ['sed -i -n 5p f', false],
    ['sed -ni 5p f', false],
    ['sed --in-place -n 5p f', false],
    ['sed -n -f f', false],
    ['sed -n --file=f', false],
    ['sed 5p f', true],
    ['sed -i 5p f', false],
    ['sed -E s/a/b/g f', true],
    ['sed s/a/b/e f', false],
    ['sed -ne 5p f', true],
    ['sed -n --expression=5p f', true],
  ])('%s: %s', (line, expected) => {
    expect(passes(...line.split(' '))).toBe(expected)
  })

  it.each([
    ['5p', true],
    ['1,40p', true],
    ['$p', true],
    ['2,$p', true],
    ['1p;5,7p', true],
    ['10q', true],
    ['1~2p', true],
    ['3,+4p', true],
    ['/a b/p', true],
    ['/a/,/b/p', true],
    ['/a\\/b/p', true],
    ['/[a-z]x/p', true],
    ['/x/!p', true],
    ['=', true],
    ['', false],
    ['w f', false],
    ['5w f', false],
    ['/x/Iw marker', false],
    ['/x/Ip', false],
    ['/x/w f', false],
    ['s/a/b/', true],
    ['s/a/b/g', true],
    ['s/a/b/2gp', true],
    ['s|a/b|c|', true],
    ['s,a,b,;5q', true],
    ['/x/s/a/b/', true],
    ['1,5s/a/\\1&/p', true],
    ['/^$/d', true],
    ['1,3d', true],
    ['s/[^/]*$//', false],
    ['s/[^,]*$//', true],
    ['s/a\\/b/c\\/d/', true],
    ['s/a/b', false],
    ['s/a', false],
    ['s', false],
    ['s/a/b/x', false],
    ['s/a/b/gw f', false],
    ['s/a/b/w', false],
    ['s/a/b/m', false],
    ['s/a/b/M', false],
    ['s/a/b/ge', false],
    ['s/a/b/ e', false],
    ['s/a/b/;e id', false],
    ['s/a/b/}', false],
    ['s/a/b\n/', false],
    ['s/a/b\\\n/', false],
    ['s/a\n/b/', false],
    ['s//b/', false],
    ['s\nx\nid\ne', false],
    ['sxaxbx', false],
    ['s aabaea', false],
    ['s;a;b;', false],
    ['s\\a\\b\\e', false],
    ['s/[/]/id/e', false],
    ['s/[a/]b/c/w f', false],
    ['y/a/b/', false],
    ['c x', false],
    ['D', false],
    ['s/a/b/w f', false],
    ['s/a/id/e', false],
    ['1e id', false],
    ['r f', false],
    ['R f', false],
    ['W f', false],
    ['5p\nw f', false],
    ['5{p}', false],
    ['5p;w f', false],
    ['5p # w', false],
    ['\\cxcw f', false],
    ['/[/]p;w f/p', false],
    ['/[/p;w f', false],
    ['y/a/b/', false],
    ['a text', false],
    ['5p}', false],
    ['F', false],
    [`${'1p;'.repeat(200)}p`, false],
  ])('the sed script %j: %s', (script, expected) => {
    expect(passes('sed', '-n', script, 'f')).toBe(expected)
  })
})

describe('where a walk starts', () => {
  it.each([
    ['ls -R', [['.', Infinity]]],
    [
      'ls -R a b',
      [
        ['a', Infinity],
        ['b', Infinity],
      ],
    ],
    ['ls -r a', []],
    ['grep -r x', [['.', Infinity]]],
    ['grep -r x a', [['a', Infinity]]],
    ['grep -r -e x a', [['a', Infinity]]],
    ['grep -rex a', [['a', Infinity]]],
    ['grep -d recurse x a', [['a', Infinity]]],
    ['grep -drecurse x a', [['a', Infinity]]],
    ['grep -d skip x a', []],
    ['grep -rd skip x a', [['a', Infinity]]],
    ['grep x a', []],
    ['find', [['.', Infinity]]],
    [
      'find a b -name x',
      [
        ['a', Infinity],
        ['b', Infinity],
      ],
    ],
    ['find a -maxdepth 1', [['a', 1]]],
    ['find a -maxdepth 0 -maxdepth 3', [['a', 3]]],
    ['find -name x', [['.', Infinity]]],
    ['du', [['.', Infinity]]],
    ['du -s a', [['a', 0]]],
    ['du -sh', [['.', 0]]],
    ['du -sL', [['.', Infinity]]],
    ['du -sL a', [['a', Infinity]]],
    [
      'diff a b',
      [
        ['a', 1],
        ['b', 1],
      ],
    ],
    [
      'diff -r a b',
      [
        ['a', Infinity],
        ['b', Infinity],
      ],
    ],
    ['diff - b', [['b', 1]]],
    ['cat a', []],
  ])('%s', (line, roots) => {
    expect(read(...line.split(' ')).roots.map(({ path, depth }) => [path, depth])).toEqual(roots)
  })
})

it('has a grammar for each program of the contract, and for no interpreter, network client or writer', () => {
  const known = [
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
  ]
  for (const name of [...known, 'cmp', 'sha256sum', 'pwd', 'echo', 'git']) {
    expect([name, hasGrammar(name)]).toEqual([name, true])
  }
  for (const name of [
    'awk',
    'python3',
    'node',
    'sh',
    'bash',
    'curl',
    'tee',
    'cp',
    'rm',
    'xargs',
    'env',
    'tar',
    'man',
    'toString',
  ]) {
    expect([name, hasGrammar(name)]).toEqual([name, false])
  }
})
