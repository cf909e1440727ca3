import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { matchesWildcards } from '../../../src/firewall/shell/wildcards.ts'
import { demoWorkspace, type Workspace } from '../workspace.ts'
import { judged } from './bench.ts'

let space: Workspace
beforeAll(() => {
  const programs = ['cat', 'sed', 'git', 'grep', 'find', 'tail', 'ls', 'date', 'which']
  space = demoWorkspace({ shell_allowlist: programs, protected_names: ['*.pem', '.env.*', 'id_rsa*'] })
  space.write('src/Ünï/a.ts', '')
  for (let at = 0; at < 50; at++) space.write(`src/a${'a'.repeat(60)}${at}/x.ts`, '')
  judged('ls', space)
})
afterAll(() => {
  space.cleanup()
})

/** The quickest of three, so that a busy machine does not count. */
function milliseconds(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return Math.min(...times)
}

const many = (text: string, count: number): string => text.repeat(count)

describe('text that is made to keep the gate busy is judged within 50 ms', () => {
  it.each<{ what: string; given: string | readonly string[] }>([
    { what: 'brackets in a sed pattern', given: ['sed', '-n', `/${many('[]]', 36)}x`, 'README.md'] },
    { what: 'brackets in sed, not ended', given: ['sed', '-n', `/${many('[^]', 160)}`, 'README.md'] },
    { what: 'sed addresses', given: ['sed', '-n', `${many('/a/,', 120)}p`, 'x'] },
    { what: 'classes in sed', given: ['sed', '-n', `/[${many('[:', 240)}`, 'x'] },
    { what: 'a program that is not granted', given: ['gsed', '-n', `/${many('[]]', 36)}x`, 'README.md'] },
    { what: 'wildcards for git', given: ['git', 'log', '--', `${many('*?', 60)}b`] },
    { what: 'few wildcards for git', given: ['git', 'log', '--', `${many('*a', 15)}b`] },
    { what: 'many patterns for git', given: ['git', 'log', '--', ...Array<string>(900).fill(`${many('*a', 15)}b`)] },
    { what: 'open brackets for git', given: ['git', 'log', '--', many('[', 8000)] },
    { what: 'braces in a revision', given: ['git', 'show', many('@{', 4000)] },
    { what: 'braces that end', given: ['git', 'show', many('@{1}', 2000)] },
    { what: 'colons in a revision', given: ['git', 'show', many(':', 8000)] },
    { what: 'dots in a revision', given: ['git', 'show', many('a..', 2700)] },
    { what: 'wildcards to leave out', given: ['grep', '-r', `--exclude=${many('*a', 120)}b`, 'x', 'src'] },
    { what: 'wildcards in find', given: ['find', 'src', '-name', `${many('*a', 120)}b`] },
    { what: 'brackets in find', given: ['find', 'src', ...Array<string>(400).fill('('), '-true'] },
    { what: 'a negated find', given: ['find', 'src', ...Array<string>(900).fill('!'), '-true'] },
    { what: 'dots after git', given: `git log ${many('a.', 16_000)}~` },
    { what: 'steps after git', given: `git log ${many('a~1', 10_000)}` },
    { what: 'ranges after git', given: `git log ${many('a..', 10_000)}^^` },
    { what: 'short words after git', given: `git log ${many('a~ ', 900)}` },
    { what: 'quotes', given: `cat ${many(`"'`, 8000)}` },
    { what: 'backslashes', given: `cat "${many('\\\\', 8000)}` },
    { what: 'redirects', given: `cat ${many('<', 16_000)}` },
    { what: 'brackets', given: `cat ${many('$(', 8000)}` },
    { what: 'numbers', given: `date +${many('1', 8000)}` },
  ])('$what', ({ given }) => {
    expect(milliseconds(() => judged(given, space))).toBeLessThan(50)
  })
})

describe('a wildcard pattern', () => {
  it.each([
    ['*', '', true],
    ['*', 'abc', true],
    ['a*c', 'abc', true],
    ['a*c', 'abcd', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['*ab', 'aab', true],
    ['*a*b', 'xaxxb', true],
    ['', 'a', false],
    ['a', '', false],
    ['a**', 'a', true],
    ['?*', '', false],
    ['a/*', 'a/b/c', true],
  ])('%j matches %j: %s', (pattern, text, expected) => {
    expect(matchesWildcards(pattern, text)).toBe(expected)
  })

  it('takes no longer than both lengths together allow', () => {
    expect(milliseconds(() => matchesWildcards(`${many('*a', 500)}b`, many('a', 2000)))).toBeLessThan(50)
  })
})
