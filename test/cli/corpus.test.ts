import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { newPlace, run } from './bin.ts'

const place = newPlace()
afterAll(() => {
  place.remove()
})

const step = { request: { kind: 'read', path: '.env' }, decision: 'block', rule: 'fs-protected' }
function file(name: string, ...cases: object[]): string {
  const path = place.file(name)
  writeFileSync(path, JSON.stringify({ version: 1, description: 'mine', cases }))
  return path
}

describe('corpus run', () => {
  it('plays the cases of the package that the filter names', async () => {
    const { code, stdout, stderr } = await run(['corpus', 'run', '--filter', 'SH-0*,egr-query'], { place })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('every case came out as it says')
    expect(stdout).toMatch(/all +\d+ +\d+ +(\d+) of \1\n/)
  })

  it('exits 1 and says what was otherwise', async () => {
    const wrong = { id: 'mine', family: 'x', steps: [{ ...step, decision: 'allow', rule: 'fs-read-ok' }] }
    const path = file('wrong.json', wrong, { id: 'right', family: 'x', steps: [step] })
    const { code, stdout } = await run(['corpus', 'run', path], { place })
    expect(code).toBe(1)
    expect(stdout).toContain('✗ mine step 1: expected allow by fs-read-ok, got block by fs-protected')
    const json = await run(['corpus', 'run', path, '--json'], { place })
    expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
      1,
      { cases: 2, failed: 1, results: [{ id: 'mine' }, { id: 'right', problems: [] }] },
    ])
  })

  it.each([
    { what: 'a file that is not there', args: ['/no/such/cases.json'], says: 'cannot be read (ENOENT)' },
    { what: 'a filter that fits nothing', args: ['--filter', 'no-such-case'], says: 'names no case' },
    { what: 'an unknown option', args: ['--filters', 'x'], says: 'Did you mean --filter?' },
  ])('refuses $what', async ({ args, says }) => {
    const { code, stdout, stderr } = await run(['corpus', 'run', ...args], { place })
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)])
  })

  it('refuses a file of another form by case and field', async () => {
    const { code, stderr } = await run(['corpus', 'run', file('bad.json', { id: 'a', family: 'x', steps: [] })], {
      place,
    })
    expect([code, stderr]).toEqual([2, expect.stringContaining('field cases[0].steps')])
  })
})
