import { test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { candidates, hasTooManyParts, looksRecursive } from '../../../src/firewall/shell/candidates.ts'
import { globMeets } from '../../../src/firewall/shell/glob-meets.ts'
import { guessArgv } from '../../../src/firewall/shell/read-argv.ts'
import { anyPath, anyShellText } from './generators.ts'

describe('the parts of a word that may be a file', () => {
  it.each([
    ['.env', ['.env']],
    ['--data=.env', ['.env']],
    ['--data=@.env', ['@.env', '.env']],
    ['-d@.env', ['@.env', '.env']],
    ['-o.env', ['.env']],
    ['name@.env', ['.env']],
    ['a=b=.env', ['b=.env', '.env']],
    ['-Fa=@.env;type=text/plain', ['.env']],
    ['a=@.env,x', ['.env']],
    ['<.env', ['.env']],
    ['-F@<.env', ['.env']],
  ])('%s holds %j', (word, parts) => {
    expect(candidates(word)).toEqual(expect.arrayContaining([word, ...parts]))
  })

  test.prop([anyShellText, anyPath])('a path after any sign is among them', (text, path) => {
    for (const sign of ['=', '@', '<']) expect([...candidates(`${text}${sign}${path}`), '']).toContain(path)
  })

  it('are too many for a command when nobody would spell them', () => {
    expect(hasTooManyParts('='.repeat(64))).toBe(false)
    expect(hasTooManyParts('='.repeat(65))).toBe(true)
    expect(guessArgv(['x', '@'.repeat(65)]).fault).toBeDefined()
    expect(guessArgv(['x', ...Array<string>(900).fill('a=b=c=d=e')]).fault).toBeDefined()
    expect(guessArgv(['x', 'a', '-b', 'c=d']).fault).toBeUndefined()
  })

  it.each([
    ['-r', true],
    ['-R', true],
    ['-avr', true],
    ['--recursive', true],
    ['-a', false],
    ['--force', false],
    ['r', false],
  ])('%s means everything below: %s', (word, expected) => {
    expect(looksRecursive(word)).toBe(expected)
  })
})

describe("a repository's pattern and a protected path", () => {
  it.each([
    ['.e*', true],
    ['*', true],
    ['.?nv', true],
    ['.[e]nv', true],
    ['.EN?', true],
    ['./.e*', true],
    ['\\.env', true],
    ['*.ts', false],
    ['src/*', false],
    ['*.env', true],
  ])('%s meets .env: %s', (glob, expected) => {
    expect(globMeets(glob, '/w/a', '/w', ['/w/.env'], []).length > 0).toBe(expected)
  })

  it('meet below a protected folder and by a protected name', () => {
    expect(globMeets('sec*', '/w', '/w', ['/w/secrets/deep'], [])).not.toEqual([])
    expect(globMeets('*.p?m', '/w', '/w', [], ['*.pem'])).not.toEqual([])
    expect(globMeets('*.ts', '/w', '/w', [], ['*.pem'])).toEqual([])
  })
})
