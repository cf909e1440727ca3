import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPlace } from './bin.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const place = newPlace()
const source = (text: string): void => {
  writeFileSync(place.file('src/cli/main.io.ts'), `declare const console: { log(text: unknown): void }\n${text}`)
}
const build = (): { status: number | null; said: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [place.file('scripts/build.mjs')], {
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}
const built = (): string =>
  spawnSync(process.execPath, [place.file('dist/src/cli/main.io.js')], { encoding: 'utf8' }).stdout

beforeAll(() => {
  for (const folder of ['scripts', 'src/cli', 'pdp']) mkdirSync(place.file(folder), { recursive: true })
  copyFileSync(join(ROOT, 'scripts/build.mjs'), place.file('scripts/build.mjs'))
  symlinkSync(join(ROOT, 'node_modules'), place.file('node_modules'))
  writeFileSync(place.file('package.json'), '{"type":"module"}')
  // The least library there is: reading the whole one three times is most of the work.
  const compilerOptions = { module: 'nodenext', target: 'es2023', lib: ['es5'], rootDir: '.', types: [], strict: true }
  writeFileSync(place.file('tsconfig.build.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
})
afterAll(() => {
  place.remove()
})

describe('npm run build', () => {
  it('replaces what was built by what compiles, and by nothing else', () => {
    source("console.log('one')")
    expect(build()).toEqual({ status: 0, said: '' })
    expect(built()).toBe('one\n')
    writeFileSync(place.file('dist/old.js'), '')

    source("const wrong: number = 'two'\nconsole.log(wrong)")
    const failed = build()
    expect([failed.status, built()]).toEqual([1, 'one\n'])
    expect(failed.said).toMatch(/error TS2322[^]*build: the sources do not compile; dist\/ is as it was before\.\n$/)

    source("console.log('three')")
    expect(build()).toEqual({ status: 0, said: '' })
    expect([built(), existsSync(place.file('dist/old.js'))]).toEqual(['three\n', false])
    expect(readdirSync(place.file('.cache'))).toEqual([])
  }, 60_000)
})
