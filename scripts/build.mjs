#!/usr/bin/env node
// Compiles src, adapters, standins, scripts and bench into dist/. Needs only the installed TypeScript.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const compiler = `${root}node_modules/typescript/bin/tsc`
if (!existsSync(compiler)) {
  console.error(
    'build: TypeScript is not installed. Run `npm ci` without --omit=dev; the packed tarball needs no build.',
  )
  process.exit(1)
}
rmSync(`${root}dist`, { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [compiler, '-p', `${root}tsconfig.build.json`], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
// Policies that are read where the program runs, like Cedar's.
cpSync(`${root}pdp`, `${root}dist/pdp`, { recursive: true })
chmodSync(`${root}dist/src/cli/main.io.js`, 0o755)
