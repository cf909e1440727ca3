#!/usr/bin/env node
// Compiles src, adapters, standins, scripts and bench into dist/. Needs only the installed TypeScript.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const compiler = `${root}node_modules/typescript/bin/tsc`
if (!existsSync(compiler)) {
  console.error(
    'build: TypeScript is not installed. Run `npm ci` without --omit=dev; the packed tarball needs no build.',
  )
  process.exit(1)
}
// Beside dist/, on the same disk: what does not compile never takes the place of what does.
mkdirSync(`${root}.cache`, { recursive: true })
const work = mkdtempSync(`${root}.cache/build-`)
process.on('exit', () => {
  rmSync(work, { recursive: true, force: true })
})
const fresh = `${work}/dist`
const args = [compiler, '-p', `${root}tsconfig.build.json`, '--outDir', fresh, '--noEmitOnError']
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
if (status !== 0) {
  console.error(`build: the sources do not compile${existsSync(`${root}dist`) ? '; dist/ is as it was before' : ''}.`)
  process.exit(1)
}
// Policies that are read where the program runs, like Cedar's.
cpSync(`${root}pdp`, `${fresh}/pdp`, { recursive: true })
chmodSync(`${fresh}/src/cli/main.io.js`, 0o755)
if (existsSync(`${root}dist`)) renameSync(`${root}dist`, `${work}/before`)
renameSync(fresh, `${root}dist`)
