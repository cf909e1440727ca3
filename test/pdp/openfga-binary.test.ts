import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findOpenfga } from '../../scripts/openfga-binary.ts'
import { SettingError } from '../../src/core/setting-error.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'intent-gate-test-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** A program that says what a server of that version says. */
function server(version: string, mode = 0o700): string {
  const file = join(folder, 'openfga')
  writeFileSync(
    file,
    `#!/bin/sh\necho '2026/01/01 OpenFGA version \`${version}\` build from \`abc\` on \`2026\`' >&2\n`,
  )
  chmodSync(file, mode)
  return file
}

describe('the OpenFGA server that OPENFGA_BIN names', () => {
  it.each(['v1.18.0', 'v1.22.1', 'v2.0.0'])('may be %s', (version) => {
    const file = server(version)
    vi.stubEnv('OPENFGA_BIN', file)
    expect(findOpenfga()).toBe(file)
  })

  it.each(['v1.8.4', 'v1.13.0', 'v1.17.9', 'v0.99.0'])('may not be %s, which has known faults', (version) => {
    vi.stubEnv('OPENFGA_BIN', server(version))
    expect(findOpenfga).toThrow(SettingError)
    expect(findOpenfga).toThrow(`is ${version}, and v1.18 is the oldest that will do`)
  })

  it('must be a program', () => {
    vi.stubEnv('OPENFGA_BIN', server('v1.22.1', 0o600))
    expect(findOpenfga).toThrow('OPENFGA_BIN: is not a program')
    vi.stubEnv('OPENFGA_BIN', folder)
    expect(findOpenfga).toThrow('OPENFGA_BIN: is not a program')
  })
})
