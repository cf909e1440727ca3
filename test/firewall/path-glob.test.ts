import { fc, test } from '@fast-check/vitest'
import picomatch from 'picomatch'
import { describe, expect, it } from 'vitest'
import { pathGlob } from '../../src/firewall/path-glob.ts'

function fits(pattern: string, path: string, dot = true): boolean {
  const glob = pathGlob(pattern, { dot })
  if (typeof glob === 'string') throw new Error(glob)
  return glob(path)
}

describe('a pattern for paths', () => {
  it.each([
    { pattern: '*.ts', path: 'a.ts', is: true },
    { pattern: '*.ts', path: 'src/a.ts', is: false },
    { pattern: '**/*.ts', path: 'a.ts', is: true },
    { pattern: '**/*.ts', path: 'src/deep/a.ts', is: true },
    { pattern: 'src/**', path: 'src/a/b', is: true },
    { pattern: 'src/**/b/*', path: 'src/b/b/b/c', is: true },
    { pattern: './src//*.ts', path: 'src/a.ts', is: true },
    { pattern: 'a?c', path: 'abc', is: true },
    { pattern: 'a?c', path: 'ac', is: false },
    { pattern: '[a-c]x', path: 'bx', is: true },
    { pattern: '[!a-c]x', path: 'bx', is: false },
    { pattern: '[]]x', path: ']x', is: true },
    { pattern: '[x', path: '[x', is: true },
    { pattern: '{a,b{c,d}}.ts', path: 'bd.ts', is: true },
    { pattern: '{a,b}.ts', path: 'c.ts', is: false },
    { pattern: '{a}', path: '{a}', is: true },
    { pattern: '\\*', path: '*', is: true },
    { pattern: '\\*', path: 'a', is: false },
    { pattern: '*', path: '.env', is: true },
    { pattern: '*', path: '', is: false },
    { pattern: '?', path: '\u{1f600}', is: true },
  ])('$pattern fits $path: $is', ({ pattern, path, is }) => {
    expect(fits(pattern, path)).toBe(is)
  })

  it('without dots fits a hidden name only where it spells the dot', () => {
    expect([fits('*', '.env', false), fits('.e*', '.env', false)]).toEqual([false, true])
  })

  it('is refused when it stands for too many', () => {
    expect(pathGlob('{a,b}'.repeat(7), { dot: true })).toBe('the pattern has more than 64 alternatives')
  })

  it('takes a moment only, however many wildcards try to make it slow', () => {
    const started = performance.now()
    expect(fits(`${'*a'.repeat(300)}*b`, 'a'.repeat(250))).toBe(false)
    expect(fits(`${'**/a/'.repeat(100)}b`, 'a/'.repeat(1000))).toBe(false)
    expect(fits('{'.repeat(1000), 'a')).toBe(false)
    expect(performance.now() - started).toBeLessThan(500)
  })
})

test.prop(
  [
    fc.array(fc.constantFrom('a', 'b', '*', '?', '[ab]', '{a,b}', '.'), { minLength: 1, maxLength: 6 }),
    fc.array(fc.constantFrom('a', 'b', '.'), { minLength: 1, maxLength: 6 }),
  ],
  { numRuns: 500 },
)('reads a name as other readers of patterns do', (signs, name) => {
  const [pattern, text] = [signs.join(''), name.join('')]
  // They differ in what they make of two stars in a name and of names that are dots alone.
  if (pattern.includes('**') || /^\.*$/.test(text) || /^\.*$/.test(pattern)) return
  // A shortcut of theirs wants something behind the dot.
  if (pattern === '*.*' && text.endsWith('.')) return
  expect(fits(pattern, text)).toBe(picomatch.isMatch(text, pattern, { dot: true, noextglob: true }))
})
