import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SettingError } from '../core/setting-error.ts'
import { checkCaseIds, readCorpus, type CorpusCase } from '../runner/corpus.ts'

/**
 * The cases of these files.
 * @param files @defaultValue the ones that come with the program
 * @throws SettingError that names the file, the case and the field.
 */
export function loadCorpus(files: readonly string[]): readonly CorpusCase[] {
  const cases = (files.length === 0 ? ownFiles() : files).flatMap((file) => readCorpus(textOf(file), file))
  checkCaseIds(cases)
  return cases
}

/** `corpus/*.json` of this package, seen from the sources and from dist/ alike. */
function ownFiles(): readonly string[] {
  let root = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root)
  const folder = join(root, 'corpus')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  if (names.length === 0) throw new SettingError(folder, 'holds no cases', 'Name files of cases')
  return names.toSorted().map((name) => {
    const below = relative(process.cwd(), join(folder, name))
    return below.startsWith('..') ? join(folder, name) : below
  })
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new SettingError(file, `cannot be read (${code})`, 'Name a readable file of cases')
  }
}
