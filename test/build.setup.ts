import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SOURCES = ['src', 'adapters', 'standins', 'scripts', 'bench', 'pdp', 'tsconfig.json', 'tsconfig.build.json']

/** Tests that run the bin or the packed library use dist/, so it is built from these very sources first. */
export function setup(): void {
  if (process.env['SKIP_BUILD'] === undefined && !isFresh()) {
    execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  }
}

/** True when nothing was changed, added or removed since dist/ was made; `npm ci` has just made it in a fresh clone. */
function isFresh(): boolean {
  const built = 'dist/src/cli/main.io.js'
  if (!existsSync(built)) return false
  const builtMs = statSync(built).ctimeMs
  return SOURCES.every((source) => [source, ...below(source)].every((path) => statSync(path).ctimeMs < builtMs))
}

const below = (path: string): readonly string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
    : []
