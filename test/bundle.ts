import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const bundles = join(root, '.cache', 'bundles')

/**
 * Turns one TypeScript file, with all of ours that it imports, into one module that a child process can run:
 * `spawn(process.execPath, [await bundle('test/canbank/loop.fixture.ts')])`. Packages and Node's own modules stay
 * imports, so the module lies below the project. It is removed by the first call after this process has ended.
 *
 * @param entry absolute, or relative to the project's root.
 */
export async function bundle(entry: string): Promise<string> {
  mkdirSync(bundles, { recursive: true })
  sweep()
  const outDir = mkdtempSync(join(bundles, `${process.pid}-`))
  const name = basename(entry).replace(/\.[cm]?ts$/, '')
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    ssr: { external: true },
    build: {
      ssr: isAbsolute(entry) ? entry : join(root, entry),
      outDir,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      copyPublicDir: false,
      rolldownOptions: { output: { entryFileNames: `${name}.mjs`, codeSplitting: false } },
    },
  })
  return join(outDir, `${name}.mjs`)
}

// A test worker is ended without its exit handlers, so the folders of ended processes go here.
function sweep(): void {
  for (const folder of readdirSync(bundles)) {
    if (!isAlive(Number(folder.split('-')[0]))) rmSync(join(bundles, folder), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
