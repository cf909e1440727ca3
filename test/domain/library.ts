import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The domain that comes with the program. */
export const LIBRARY = fileURLToPath(new URL('../../scenarios/domains/library.json', import.meta.url))

/** Its file, with the value at a path replaced; `undefined` takes it away. */
export function libraryWith(path: readonly (string | number)[], value: unknown): string {
  const library: unknown = JSON.parse(readFileSync(LIBRARY, 'utf8'))
  return JSON.stringify(replaced(library, path, value))
}

function replaced(whole: unknown, [first, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (first === undefined) return value
  if (Array.isArray(whole)) {
    return whole.map((each, at) => (at === first ? replaced(each, rest, value) : (each as unknown)))
  }
  const fields = Object.fromEntries(Object.entries(whole ?? {})) as Record<string, unknown>
  return { ...fields, [first]: replaced(fields[first], rest, value) }
}
