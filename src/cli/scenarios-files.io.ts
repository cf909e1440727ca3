import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atItsBank, atItsDomain, type PlacedScenario } from '../compose/scenarios-check.ts'
import type { DomainFile } from '../compose/scenarios-stage.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { readDomain } from '../domain/domain.ts'
import { recordStore } from '../domain/store.ts'
import { domainTools } from '../domain/tools.ts'
import { readRecord } from '../runner/record.ts'
import { checkIds, readItems, readScenarios } from '../runner/scenario.ts'
import type { Tally } from '../runner/tally.ts'

/**
 * The scenarios of these files, checked against their banks.
 * @param files @defaultValue the ones that come with the program
 * @throws SettingError that names the file, the scenario and the field.
 */
export function loadScenarios(files: readonly string[]): readonly PlacedScenario[] {
  const scenarios = (files.length === 0 ? ownFiles() : files).flatMap((file) => readScenarios(readText(file), file))
  checkIds(scenarios)
  return scenarios.map(atItsBank)
}

/**
 * A domain and its scenarios, those of further files among them.
 * @throws SettingError that names the file and the field, and the scenario where it is one's.
 */
export function loadDomain(
  file: string,
  files: readonly string[],
): { readonly domain: DomainFile; readonly scenarios: readonly PlacedScenario[] } {
  const domain = readDomain(readText(file), file)
  // Made once to be checked; each run makes its own.
  domainTools(domain, recordStore(domain.records), file)
  const own = readItems(domain.scenarios, domain.name, file)
  const scenarios = [...own, ...files.flatMap((each) => readScenarios(readText(each), each))]
  if (scenarios.length === 0) throw new SettingError(file, 'holds no scenarios', 'Add some, or name files of scenarios')
  checkIds(scenarios)
  return { domain: { domain, file }, scenarios: scenarios.map((each) => atItsDomain(each, domain)) }
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
 * @throws SettingError that names the file, the line and the field, or a file that is named twice.
 */
export async function addFiles(tally: Tally, files: readonly string[]): Promise<void> {
  const twice = files.find((file, index) => files.findIndex((each) => resolve(each) === resolve(file)) < index)
  if (twice !== undefined) throw new SettingError(twice, 'is named twice: its runs would count twice', 'Name it once')
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
