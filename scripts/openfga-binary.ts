import { spawnSync } from 'node:child_process'
import { SettingError } from '../src/core/setting-error.ts'
import { onPath } from './engine-process.ts'
import { findGoEngine, installGoEngine, type GoEngine } from './find-engine.ts'

/** What is installed, and what everything here was run with. */
export const OPENFGA_VERSION = 'v1.22.1'
/** Older ones have no AuthZEN endpoints, or known faults in them (CVE-2026-34972). */
const OLDEST = [1, 18] as const

const OPENFGA: GoEngine = {
  name: 'openfga',
  setting: 'OPENFGA_BIN',
  module: `github.com/openfga/openfga/cmd/openfga@${OPENFGA_VERSION}`,
}

/** What to do without Go. */
export const OPENFGA_DOCKER = `docker run --rm -p 127.0.0.1:8080:8080 openfga/openfga:${OPENFGA_VERSION} run --experimentals=authzen`

/**
 * The OpenFGA server of this machine.
 * @throws SettingError when `OPENFGA_BIN` is not a program, or the server is too old.
 */
export function findOpenfga(): string | undefined {
  const binary = findGoEngine(OPENFGA)
  if (binary !== undefined) checkAge(binary)
  return binary
}

/**
 * The same, and where there is none it is installed with Go, which takes minutes.
 * @returns undefined when there is no Go either.
 * @throws Error when Go cannot install it.
 */
export const obtainOpenfga = (say: (sentence: string) => void): string | undefined =>
  findOpenfga() ?? installGoEngine(OPENFGA, say)

/** As the server says it; one that `go install` has built says `dev`, and then Go knows. Undefined when nobody does. */
export function openfgaVersion(binary: string): string | undefined {
  const own = spawnSync(binary, ['version'], { encoding: 'utf8' })
  const said = /version `(v\d+\.\d+\.\d+)/.exec(`${own.stdout}${own.stderr}`)?.[1]
  const go = onPath('go')
  if (said !== undefined || go === undefined) return said
  const built = spawnSync(go, ['version', '-m', binary], { encoding: 'utf8' })
  return /^\s+mod\s+github\.com\/openfga\/openfga\s+(v\d+\.\d+\.\d+)/m.exec(built.stdout)?.[1]
}

function checkAge(binary: string): void {
  const version = openfgaVersion(binary)
  const [major = 0, minor = 0] = version === undefined ? OLDEST : version.slice(1).split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  const fix = `Install ${OPENFGA_VERSION}: go install ${OPENFGA.module}`
  throw new SettingError(binary, `is ${version ?? 'too old'}, and v${OLDEST.join('.')} is the oldest that will do`, fix)
}
