import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAuditFile } from '../../src/audit/jsonl.io.ts'
import { verifyAudit } from '../../src/audit/verify.io.ts'
import { linesOf, newFolder, writtenLog } from './folder.ts'
import { writerProcesses, type WriterProcess } from './processes.ts'
import { decision, outcome } from './records.ts'

let start: (...args: readonly string[]) => WriterProcess
beforeAll(async () => {
  start = await writerProcesses()
})

const at = '2026-12-02T00:00:00.000Z'
const world = { now: () => new Date(at) }
const last = (path: string) => JSON.parse(linesOf(path).at(-1)!) as Record<string, unknown>
const crashed = (path: string) => {
  writeFileSync(`${path}.lock`, '{"pid":0,"start":"1","boot":"b","space":"","nonce":"dead"}\n')
}

describe('a process that is killed while it writes', () => {
  it.each([{ durable: 'true' }, { durable: 'false' }])(
    'loses no acknowledged line, and its file verifies at once and after it is opened again; durable: $durable',
    { timeout: 60_000 },
    async ({ durable }) => {
      const path = join(newFolder(), 'audit.jsonl')
      const acknowledged: string[] = []
      for (let round = 0; round < 5; round++) {
        const writer = start(path, 'write', durable)
        expect(await writer.firstLine).toBe('open')
        await wait(Math.random() * 40)
        await writer.kill()
        acknowledged.push(...writer.printed().split('\n').slice(1, -1))
        expect((await verifyAudit(path)).problems).toEqual([])
        await (await openAuditFile(path)).close()
        expect((await verifyAudit(path)).problems).toEqual([])
      }
      const text = readFileSync(path, 'utf8')
      expect(acknowledged.length).toBeGreaterThan(10)
      expect(acknowledged.filter((id) => !text.includes(`"id":"${id}"`))).toEqual([])
    },
  )
})

describe('what a crash leaves', () => {
  it('a torn line is kept, closed, marked and continued after', async () => {
    const path = await writtenLog([decision('a'), outcome('a')])
    const torn = '{"v":1,"seq":3,"prev":"00'
    appendFileSync(path, torn)
    crashed(path)
    const before = readFileSync(path)
    expect(await verifyAudit(path)).toMatchObject({ ok: true, notes: [{ line: 3, says: 'is torn (25 bytes)' }] })

    const log = await openAuditFile(path, { world })
    expect(log.notices).toContain('Line 3 of the audit is torn (25 bytes); it is kept and marked.')
    await log.append(decision('b'))
    await log.close()

    expect(readFileSync(path).subarray(0, before.length)).toEqual(before)
    expect(linesOf(path)[2]).toBe(torn)
    expect(JSON.parse(linesOf(path)[3]!)).toMatchObject({
      v: 1,
      seq: 4,
      type: 'recovered',
      at,
      reason: 'torn_line',
      lines: 1,
      bytes: 25,
    })
    expect(await verifyAudit(path)).toEqual({
      ok: true,
      lines: 5,
      problems: [],
      notes: [
        { line: 3, says: 'was cut off by a crash, as line 4 marks' },
        { line: 4, says: 'marks a crash (torn_line)' },
      ],
    })
  })

  it('an intact line beyond the head is kept and marked', async () => {
    const path = await writtenLog([decision('a')])
    copyFileSync(`${path}.head`, `${path}.head.old`)
    const more = await openAuditFile(path)
    await more.append(outcome('a'))
    await more.close()
    copyFileSync(`${path}.head.old`, `${path}.head`)
    crashed(path)
    expect(await verifyAudit(path)).toMatchObject({
      ok: true,
      notes: [
        {
          line: 2,
          says: expect.stringContaining('is the first of 1 beyond the head, and the head does not anchor') as string,
        },
      ],
    })

    const log = await openAuditFile(path, { world })
    expect(log.openDecisions).toEqual([])
    await log.close()
    expect(last(path)).toMatchObject({ seq: 3, type: 'recovered', at, reason: 'head_behind', lines: 1 })
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 3 })
  })

  it.each([
    { what: 'between the newline and the marker', cut: (text: string, torn: number) => text.slice(0, torn + 1) },
    { what: 'within the marker', cut: (text: string, torn: number) => text.slice(0, torn + 40) },
    { what: 'before the end of the marker', cut: (text: string) => text.slice(0, -1) },
    { what: 'after the marker, before the head', cut: (text: string) => text },
  ])('a second crash $what is recovered from as well', async ({ cut }) => {
    const path = await writtenLog([decision('a'), outcome('a')])
    copyFileSync(`${path}.head`, `${path}.head.old`)
    appendFileSync(path, '{"torn')
    const torn = readFileSync(path, 'utf8').length
    crashed(path)
    await (await openAuditFile(path)).close()
    writeFileSync(path, cut(readFileSync(path, 'utf8'), torn))
    copyFileSync(`${path}.head.old`, `${path}.head`)
    crashed(path)
    expect((await verifyAudit(path)).problems).toEqual([])
    const log = await openAuditFile(path)
    await log.append(decision('b'))
    await log.close()
    expect((await verifyAudit(path)).problems).toEqual([])
  })

  it('no byte of a file with a marked torn line can change unseen', async () => {
    const path = await writtenLog([decision('a')])
    appendFileSync(path, '{"torn')
    await (await openAuditFile(path)).close()
    const good = readFileSync(path)
    for (let byte = 0; byte < good.length; byte += 7) {
      const bad = Buffer.from(good)
      bad[byte] = bad[byte]! ^ 1
      writeFileSync(path, bad)
      expect((await verifyAudit(path)).ok, `byte ${byte}`).toBe(false)
    }
  })

  it('a file that was made and has no head yet is started', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    writeFileSync(path, '')
    crashed(path)
    await (await openAuditFile(path)).close()
    expect((await verifyAudit(path)).ok).toBe(true)
  })

  it('garbage of many lines is no crash', async () => {
    const path = await writtenLog([decision('a')])
    appendFileSync(path, 'x\n'.repeat(40))
    crashed(path)
    expect((await verifyAudit(path)).ok).toBe(false)
    await expect(openAuditFile(path)).rejects.toThrow('Keep the file as it is')
  })

  it('AU-17: a transfer that was permitted and not settled is listed when the file is opened again', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'state'))
    const path = join(folder, 'state', 'audit.jsonl')
    const writer = start(path, 'write')
    await writer.firstLine
    while (!writer.printed().includes('-0-0\n')) await wait(5)
    await writer.kill()
    const log = await openAuditFile(path)
    await log.close()
    expect(log.openDecisions.map(({ id }) => id)).toContain(`${writer.child.pid}-0-0`)
  })
})
