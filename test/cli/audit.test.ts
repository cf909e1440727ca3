import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPlace, run } from './bin.ts'
import { openAuditFile } from '../../src/audit/jsonl.io.ts'
import { decision, outcome } from '../audit/records.ts'

const place = newPlace()
const file = place.file('audit.jsonl')
let text = ''
let head = ''

beforeAll(async () => {
  const log = await openAuditFile(file)
  for (const id of ['a', 'b', 'c']) for (const record of [decision(id), outcome(id)]) await log.append(record)
  await log.close()
  text = readFileSync(file, 'utf8')
  head = readFileSync(`${file}.head`, 'utf8')
})
afterAll(() => {
  place.remove()
})

const lines = () => text.split('\n').slice(0, -1)
const joined = (changed: readonly string[]): string => changed.map((line) => `${line}\n`).join('')

const COMMANDS = [['show'], ['show', '--json'], ['reconcile'], ['reconcile', '--json']] as const

describe('a file that does not verify', () => {
  it.each([
    { what: 'cut off', change: () => joined(lines().slice(0, -2)), says: 'line 4: ' },
    { what: 'emptied', change: () => '', says: 'there is no line, but the head counts 6' },
    { what: 'reordered', change: () => joined([lines()[1]!, lines()[0]!, ...lines().slice(2)]), says: 'line 1: ' },
    { what: 'edited', change: () => text.replace('acc-bob-checking', 'acc-bob-savings1'), says: 'line 1: ' },
    { what: 'longer by a line', change: () => `${text}2026-12-01 permit bob transfer_money\n`, says: 'line 7: ' },
    { what: 'of other line ends', change: () => text.replaceAll('\n', '\r\n'), says: 'line 1: ' },
  ])('that was $what is shown and reconciled with exit 1 and its first line', async ({ change, says }) => {
    writeFileSync(file, change())
    writeFileSync(`${file}.head`, head)
    for (const [command, ...flags] of COMMANDS) {
      const { code, stdout, stderr } = await run(['audit', command, file, ...flags], { place })
      expect(code, command).toBe(1)
      expect(`${stdout}${stderr}`).toContain(`does not verify: ${says}`)
      expect(stdout).not.toContain('every permitted call has an outcome')
    }
  })

  it('as its head is gone proves nothing', async () => {
    writeFileSync(file, text)
    rmSync(`${file}.head`)
    const { code, stdout, stderr } = await run(['audit', 'reconcile', file], { place })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('the head is missing')
  })
})

it('an intact file is shown and reconciled with exit 0', async () => {
  writeFileSync(file, text)
  writeFileSync(`${file}.head`, head)
  for (const [command, ...flags] of COMMANDS) {
    expect(await run(['audit', command, file, ...flags], { place })).toMatchObject({ code: 0, stderr: '' })
  }
})
