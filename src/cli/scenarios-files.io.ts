import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atItsBank } from '../compose/scenarios.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { readRecord } from '../runner/record.ts'
import { checkIds, readScenarios, type Scenario } from '../runner/scenario.ts'
import type { Tally } from '../runner/tally.ts'

/**
 * The scenarios of these files, checked against their banks.
 * @param files @defaultValue the ones that come with the program
 * @throws SettingError that names the file, the scenario and the field.
 */
export function loadScenarios(files: readonly string[]): readonly Scenario[] {
  const scenarios = (files.length === 0 ? ownFiles() : files).flatMap((file) => readScenarios(readText(file), file))
  checkIds(scenarios)
  return scenarios.map(atItsBank)
}

/** `scenarios/*.json` of this package, seen from the sources and from dist/ alike. */
function ownFiles(): readonly string[] {
  let root = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root)
  const folder = join(root, 'scenarios')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  if (names.length === 0) throw new SettingError(folder, 'holds no scenarios', 'Name files of scenarios')
  return names.toSorted().map((name) => shortest(join(folder, name)))
}

/** As a person in the working directory would name it. */
function shortest(path: string): string {
  const below = relative(process.cwd(), path)
  return below.startsWith('..') ? path : below
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw unreadable(file, cause)
  }
}

const NEWLINE = 10
/** Far above any run; what is longer is no file of ours. */
const MAX_LINE = 16 * 1024 * 1024

/**
 * Adds every run of these files, one line at a time, so that memory does not grow with their number.
 * @throws SettingError that names the file, the line and the field.
 */
export async function addFiles(tally: Tally, files: readonly string[]): Promise<void> {
  for (const file of files) {
    let number = 0
    try {
      for await (const line of linesIn(file)) {
        number += 1
        if (line !== '') tally.add(readRecord(line, file, number))
      }
    } catch (cause) {
      throw unreadable(file, cause)
    }
  }
}

async function* linesIn(file: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      yield bytes.toString('utf8', start, end)
      start = end + 1
    }
    rest = bytes.subarray(start)
    if (rest.length > MAX_LINE) throw new SettingError(file, 'a line is over 16 MiB', 'Name files of runs')
  }
  if (rest.length > 0) yield rest.toString('utf8')
}

function unreadable(file: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || !('code' in cause)) return cause
  return new SettingError(file, `cannot be read (${String(cause.code)})`, 'Name a file that this user can read')
}
