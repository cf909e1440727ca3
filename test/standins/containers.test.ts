import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const read = (name: string): string => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8')
const compose = read('docker-compose.yml')
const dockerfile = read('Dockerfile')
const all = (text: string, pattern: RegExp): readonly string[] => [...text.matchAll(pattern)].map(([, found]) => found!)

describe('docker-compose.yml', () => {
  it('takes no setting that .env.example does not explain', () => {
    const settings = new Set(all(compose, /\$\{([A-Z_]+)/g))
    const known = new Set(all(read('.env.example'), /^#([A-Z_]+)=/gm))
    expect(settings.size).toBeGreaterThan(10)
    expect([...settings].filter((name) => !known.has(name))).toEqual(['INTENT_AGENT_CONTEXT'])
  })

  it('publishes every port on loopback only', () => {
    const published = all(compose, /^ +- '?([\d.:]+)'?/gm)
    expect(published.length).toBeGreaterThan(6)
    for (const each of published) expect(each).toMatch(/^127\.0\.0\.1:\d+:\d+$/)
  })

  it("publishes the ports that the program's command has without flags, which the image exposes", () => {
    const command = read('src/cli/standins.io.ts')
    const ports = all(command, /port: (\d{4}) }/g).map(Number)
    const exposed = (/^EXPOSE (.*)$/m.exec(dockerfile)?.[1] ?? '').split(' ').map(Number)
    const published = all(compose, /127\.0\.0\.1:(\d+):\1'/g).map(Number)
    expect(ports).toHaveLength(6)
    expect(exposed.toSorted()).toEqual(ports.toSorted())
    expect(published).toEqual(expect.arrayContaining(ports))
  })

  it('pins OpenFGA to a version whose AuthZEN the gate knows', () => {
    const [, major = 0, minor = 0, patch = 0] =
      /openfga\/openfga:v(\d+)\.(\d+)\.(\d+)$/m.exec(compose)?.map(Number) ?? []
    expect(major * 1_000_000 + minor * 1_000 + patch).toBeGreaterThanOrEqual(1_018_001)
  })
})

describe('the image', () => {
  it('gets nothing of the folder but what the Dockerfile copies, above all no .env', () => {
    const [first, ...kept] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    const copied = all(dockerfile, /^COPY (?!--from)(.+) \S+$/gm).flatMap((list) => list.split(' '))
    expect(first).toBe('*')
    expect(kept.map((line) => line.replace('!', '')).toSorted()).toEqual(copied.toSorted())
  })

  it('does not run as root', () => {
    expect(dockerfile).toMatch(/^USER node$/m)
  })
})
