import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SettingError } from '../src/core/setting-error.ts'

/** The folder of package.json, seen from the sources and from dist/ alike. */
export const ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)))

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder))
}

/** A variable of the environment; an empty one counts as not set. */
export function environment(name: string): string | undefined {
  const value = process.env[name]
  return value === '' ? undefined : value
}

/** Runs a command of this repository: bad usage and wrong settings end it with 2 and one line, breakage with 1. */
export async function runScript(name: string, main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (cause) {
    const wrongUse = cause instanceof SettingError || isUsage(cause)
    console.error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`)
    process.exitCode = wrongUse ? 2 : 1
  }
}

const isUsage = (cause: unknown): boolean =>
  cause instanceof TypeError && 'code' in cause && String(cause.code).startsWith('ERR_PARSE_ARGS')
