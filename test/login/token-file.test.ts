import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { SettingError } from '../../src/core/setting-error.ts'
import { readTokenFile } from '../../src/login/token-file.io.ts'

const folder = mkdtempSync(join(tmpdir(), 'gate-token-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})
let files = 0
function file(content: string | Buffer, mode = 0o600): string {
  const path = join(folder, `token-${++files}`)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

describe('reads', () => {
  it.each([
    ['a token', 'head.payload.signature'],
    ['a token with a line end', 'head.payload.signature\n'],
    ['a token with space around it', '\r\n  head.payload.signature \r\n'],
    ['a token after a byte-order mark', '\uFEFFhead.payload.signature'],
  ])('%s', (_what, content) => {
    expect(readTokenFile(file(content))).toEqual({ token: 'head.payload.signature' })
  })

  it('the largest one', () => {
    expect(readTokenFile(file('x'.repeat(16 * 1024))).token).toHaveLength(16 * 1024)
  })

  it('what a link leads to', () => {
    const link = join(folder, 'link')
    symlinkSync(file('token'), link)
    expect(readTokenFile(link)).toEqual({ token: 'token' })
  })

  it.each([0o640, 0o604, 0o644, 0o620])('one that others may use (mode %i), and warns', (mode) => {
    const { token, warning } = readTokenFile(file('secret-token', mode))
    expect(token).toBe('secret-token')
    expect(warning).toContain('chmod 600')
    expect(warning).not.toContain('secret-token')
  })
})

describe('says what is wrong with', () => {
  it.each<[string, () => string, string]>([
    ['no file', () => join(folder, 'missing'), 'ENOENT'],
    ['an empty name', () => '', 'ENOENT'],
    ['a folder', () => (mkdirSync(join(folder, 'sub')), join(folder, 'sub')), 'not a file'],
    ['a device', () => '/dev/null', 'not a file'],
    ['an empty file', () => file(''), 'is empty'],
    ['a file of space', () => file(' \n\t\n'), 'is empty'],
    ['two lines', () => file('secret-one\nsecret-two'), 'more than one token'],
    ['two words', () => file('Bearer secret-token'), 'more than one token'],
    ['a control character', () => file('secret\u0000token'), 'more than one token'],
    ['letters that no token has', () => file('secret-tökén'), 'more than one token'],
    ['bytes that are no text', () => file(Buffer.from([0xff, 0xfe, 0x41])), 'more than one token'],
    ['a byte too much', () => file('x'.repeat(16 * 1024 + 1)), 'over 16 KiB'],
  ])('%s', (_what, path, problem) => {
    let error: unknown
    try {
      readTokenFile(path())
    } catch (cause) {
      error = cause
    }
    expect(error).toBeInstanceOf(SettingError)
    expect(error).toMatchObject({ what: 'LOGIN_TOKEN_FILE', problem: expect.stringContaining(problem) as string })
    expect(String(error)).not.toContain('secret')
  })

  it('a pipe that nobody writes to, without waiting for somebody', () => {
    const path = join(folder, 'pipe')
    execFileSync('mkfifo', [path])
    expect(() => readTokenFile(path)).toThrow('not a file')
  })
})
