import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { SettingError } from '../src/core/setting-error.ts'
import { isProgram, onPath } from './engine-process.ts'
import { ROOT } from './run-script.ts'

const OWN_FOLDER = join(ROOT, '.cache/bin')

/** A server that a Go module holds. */
export interface GoEngine {
  /** Of its program. */
  readonly name: string
  /** Names the program when it is somewhere else. */
  readonly setting: string
  /** As `go install` takes it. */
  readonly module: string
}

/**
 * The program of this machine: where its setting says, else on PATH, in a folder of `go install`, or installed by us.
 * @throws SettingError when the setting does not name a program.
 */
export function findGoEngine({ name, setting }: GoEngine): string | undefined {
  const chosen = process.env[setting] ?? ''
  if (chosen !== '') {
    if (isProgram(chosen)) return chosen
    throw new SettingError(setting, 'is not a program', `Name the ${name} binary, or leave it out`)
  }
  return [onPath(name), ...goFolders().map((folder) => join(folder, name)), join(OWN_FOLDER, name)].find(
    (place) => place !== undefined && isProgram(place),
  )
}

/**
 * Installs it with Go into a folder of this checkout, which takes minutes.
 * @returns undefined when there is no Go.
 * @throws Error when Go cannot install it.
 */
export function installGoEngine({ name, module }: GoEngine, say: (sentence: string) => void): string | undefined {
  const go = onPath('go')
  if (go === undefined) return undefined
  say(`no ${name} here; installing ${module} with Go, once, in a few minutes`)
  const env = { ...process.env, GOBIN: OWN_FOLDER }
  const { status } = spawnSync(go, ['install', module], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  const binary = join(OWN_FOLDER, name)
  if (status === 0 && isProgram(binary)) return binary
  throw new Error(`go install ${module} failed`)
}

function goFolders(): readonly string[] {
  const { GOBIN = '', GOPATH = '', HOME = '' } = process.env
  const paths = [...GOPATH.split(':'), HOME === '' ? '' : join(HOME, 'go')].filter((path) => path !== '')
  return [...(GOBIN === '' ? [] : [GOBIN]), ...paths.map((path) => join(path, 'bin'))]
}
