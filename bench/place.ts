import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** The program as the build leaves it beside this file. */
export const CLI = fileURLToPath(new URL('../src/cli/main.io.js', import.meta.url))

/** The folder of this package. */
export const ROOT = packageFolder(dirname(fileURLToPath(import.meta.url)))

function packageFolder(from: string): string {
  return existsSync(join(from, 'package.json')) ? from : packageFolder(dirname(from))
}

/** The version that a package of this project's own dependencies has; the project's own without a name. */
export function versionOf(name?: string): string {
  const folder = name === undefined ? ROOT : join(ROOT, 'node_modules', name)
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return z.looseObject({ version: z.string() }).parse(manifest).version
}

/** A folder of this run's own, with the environment of programs that keep everything in it. */
export interface Place {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly file: (name: string) => string
  readonly remove: () => void
}

export function newPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'gate-bench-'))
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_STATE_HOME: folder, TMPDIR: temporary }
  return {
    folder,
    env,
    file: (name) => join(folder, name),
    remove: () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
