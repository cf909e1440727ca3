import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EMPTY_CHAIN, HEAD_LAG, headText, parseHead, sealer } from '../../src/audit/chain.ts'
import { openAuditFile } from '../../src/audit/jsonl.io.ts'
import { verifyAudit } from '../../src/audit/verify.io.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { proves } from '../requirements.ts'
import { linesOf, newFolder, writtenLog } from './folder.ts'
import { decision, outcome } from './records.ts'

const records = ['a', 'b', 'c'].flatMap((id) => [decision(id), outcome(id)])

type Change = (lines: string[]) => readonly string[]
const changes: readonly { what: string; change: Change; line: number; says: string }[] = [
  {
    what: 'a byte of the first line is edited',
    change: (l) => l.with(0, l[0]!.replace('bob', 'eve')),
    line: 1,
    says: 'was changed',
  },
  {
    what: 'a byte of a middle line is edited',
    change: (l) => l.with(2, l[2]!.replace('bob', 'eve')),
    line: 3,
    says: 'was changed',
  },
  {
    what: 'a byte of the last line is edited',
    change: (l) => l.with(5, l[5]!.replace('bob', 'eve')),
    line: 6,
    says: 'was changed',
  },
  {
    what: 'a line is no JSON any more',
    change: (l) => l.with(2, l[2]!.slice(1)),
    line: 3,
    says: 'not a line of this log',
  },
  {
    what: 'a key is doubled',
    change: (l) => l.with(2, l[2]!.replace('{', '{"v":1,')),
    line: 3,
    says: 'not a line of this log',
  },
  { what: 'the first line is dropped', change: (l) => l.slice(1), line: 1, says: 'lines before it are missing' },
  { what: 'a middle line is dropped', change: (l) => l.toSpliced(2, 1), line: 3, says: 'lines before it are missing' },
  { what: 'the last line is dropped', change: (l) => l.slice(0, -1), line: 5, says: 'the head counts 6: 1 cut off' },
  { what: 'two lines are swapped', change: (l) => l.with(2, l[3]!).with(3, l[2]!), line: 4, says: 'copied or moved' },
  { what: 'a line is duplicated', change: (l) => l.toSpliced(2, 0, l[2]!), line: 4, says: 'copied or moved' },
  { what: 'an empty line is put in', change: (l) => l.toSpliced(2, 0, ''), line: 3, says: 'not a line of this log' },
  { what: 'only two lines are left', change: (l) => l.slice(0, 2), line: 2, says: 'the head counts 6: 4 cut off' },
  { what: 'no line is left', change: () => [], line: 0, says: 'the head counts 6: 6 cut off' },
]

const rewrite = (path: string, change: Change) => {
  writeFileSync(
    path,
    change(linesOf(path))
      .map((line) => `${line}\n`)
      .join(''),
  )
}

describe(`a file that was closed — ${proves('audit.tamper-evident')}`, () => {
  it('verifies', async () => {
    expect(await verifyAudit(await writtenLog(records))).toEqual({ ok: true, lines: 6, problems: [], notes: [] })
  })

  it('verifies without a line', async () => {
    expect(await verifyAudit(await writtenLog([]))).toEqual({ ok: true, lines: 0, problems: [], notes: [] })
  })

  it.each(changes)('fails and is not continued when $what', async ({ change, line, says }) => {
    const path = await writtenLog(records)
    rewrite(path, change)
    const found = await verifyAudit(path)
    expect(found.ok).toBe(false)
    expect(found.problems).toContainEqual({ line, says: expect.stringContaining(says) as string })
    const before = readFileSync(path)
    await expect(openAuditFile(path)).rejects.toThrow(SettingError)
    await expect(openAuditFile(path)).rejects.toThrow('Keep the file as it is')
    expect(readFileSync(path)).toEqual(before)
  })

  it.each([
    {
      what: 'is removed',
      change: (head: string) => {
        rmSync(head)
      },
      says: 'the head is missing',
    },
    {
      what: 'is empty',
      change: (head: string) => {
        writeFileSync(head, '')
      },
      says: 'the head is damaged',
    },
    {
      what: 'is a folder',
      change: (head: string) => {
        rmSync(head)
        mkdirSync(head)
      },
      says: 'the head is damaged',
    },
    {
      what: 'counts one less',
      change: (head: string) => {
        recount(head, -1)
      },
      says: 'not the line that the head names',
    },
    {
      what: 'counts one more',
      change: (head: string) => {
        recount(head, 1)
      },
      says: 'the head counts 7',
    },
    {
      what: 'names another hash',
      change: (head: string) => {
        writeFileSync(head, headText({ ...EMPTY_CHAIN, count: 6 }))
      },
      says: 'not the line that the head names',
    },
  ])('fails and is not continued when its head $what', async ({ change, says }) => {
    const path = await writtenLog(records)
    change(`${path}.head`)
    const found = await verifyAudit(path)
    expect(found.ok).toBe(false)
    expect(found.problems.map((problem) => problem.says).join()).toContain(says)
    await expect(openAuditFile(path)).rejects.toThrow(SettingError)
  })

  it('fails and is not continued with a forged line at its end, though it is chained well', async () => {
    const path = await writtenLog(records)
    forge(path, 1)
    const found = await verifyAudit(path)
    expect(found.problems).toEqual([
      { line: 7, says: 'is the first of 1 beyond the head: they were added from outside' },
    ])
    await expect(openAuditFile(path)).rejects.toThrow('it was closed, and has 1 more lines now')
  })

  it('fails and is not continued with a whole line of garbage at its end', async () => {
    const path = await writtenLog(records)
    appendFileSync(path, 'x\n')
    expect((await verifyAudit(path)).ok).toBe(false)
    await expect(openAuditFile(path)).rejects.toThrow('it was closed, and has something else at its end now')
  })

  it('fails and is not continued without the last newline', async () => {
    const path = await writtenLog(records)
    writeFileSync(path, readFileSync(path).subarray(0, -1))
    expect((await verifyAudit(path)).problems).toEqual([{ line: 6, says: 'is cut off: it has no newline' }])
    await expect(openAuditFile(path)).rejects.toThrow('line 6 is cut off')
  })

  it('fails with torn garbage at its end; the garbage is marked when it is continued', async () => {
    const path = await writtenLog(records)
    appendFileSync(path, '{"v":1,"seq":7,"pr')
    expect((await verifyAudit(path)).problems).toEqual([
      { line: 7, says: 'is torn (18 bytes), and no crash explains it: it was added from outside' },
    ])
    const log = await openAuditFile(path)
    await log.close()
    const found = await verifyAudit(path)
    expect(found).toMatchObject({ ok: true, lines: 8 })
    expect(found.notes).toContainEqual({ line: 7, says: 'was cut off by a crash, as line 8 marks' })
  })

  it('is not started anew when only the head is left', async () => {
    const path = await writtenLog(records)
    rmSync(path)
    await expect(openAuditFile(path)).rejects.toThrow('its head counts 6 lines, and the file is gone')
    await expect(verifyAudit(path)).rejects.toThrow('it does not exist')
  })

  it('lists no more problems than a person reads', async () => {
    const path = await writtenLog(Array.from({ length: 200 }, (_, at) => decision(`d${at}`)))
    rewrite(path, (lines) => lines.map((line) => line.slice(1)))
    const { problems } = await verifyAudit(path)
    expect(problems).toHaveLength(51)
    expect(problems.at(-1)?.says).toMatch(/^\d+ more problems are not listed$/)
  })

  it('AU-03: removing the newest 2 of 5 records is a truncation, against the head', async () => {
    const path = await writtenLog([decision('a'), outcome('a'), decision('b'), outcome('b'), decision('c')])
    rewrite(path, (lines) => lines.slice(0, 3))
    expect(await verifyAudit(path)).toEqual({
      ok: false,
      lines: 3,
      problems: [{ line: 3, says: 'is the last of 3, but the head counts 5: 2 cut off' }],
      notes: [],
    })
  })
})

describe('a file whose owner crashed', () => {
  it.each([
    { lines: 1, ok: true, opens: true },
    { lines: 64, ok: true, opens: true },
    { lines: 65, ok: false, opens: true },
    { lines: HEAD_LAG, ok: false, opens: true },
    { lines: HEAD_LAG + 1, ok: false, opens: false },
  ])('may have $lines intact lines beyond its head: $ok, and opens: $opens', async ({ lines, ok, opens }) => {
    const path = await writtenLog(records)
    forge(path, lines)
    leaveDead(path)
    const found = await verifyAudit(path)
    expect(found.ok).toBe(ok)
    expect((ok ? found.notes : found.problems)[0]?.says).toMatch(/the head does not anchor them: a crash or a forgery/)
    const opening = openAuditFile(path)
    if (opens) await (await opening).close()
    else await expect(opening).rejects.toThrow('more than a crash leaves')
  })

  it.each([
    { what: 'an empty lock', lock: '' },
    { what: 'a lock that is no lock', lock: '{"pid":1}\n' },
  ])('is not what $what says: it excuses no line, no torn line and no missing head', async ({ lock }) => {
    const path = await writtenLog(records)
    writeFileSync(`${path}.lock`, lock)
    expect((await verifyAudit(path)).ok).toBe(true)
    forge(path, 1)
    appendFileSync(path, '{"v":1')
    const { problems } = await verifyAudit(path)
    expect(problems.map(({ says }) => says)).toEqual([
      'is the first of 1 beyond the head: they were added from outside',
      'is torn (6 bytes), and no crash explains it: it was added from outside',
    ])
    writeFileSync(path, '')
    rmSync(`${path}.head`)
    expect((await verifyAudit(path)).ok).toBe(false)
  })

  it('is not excused for a missing head, though it has no line', async () => {
    const path = await writtenLog([])
    rmSync(`${path}.head`)
    leaveDead(path)
    expect((await verifyAudit(path)).problems.map(({ says }) => says).join()).toContain('the head is missing')
  })

  it.each(changes)('fails all the same when $what', async ({ change, says }) => {
    const path = await writtenLog(records)
    rewrite(path, change)
    leaveDead(path)
    const found = await verifyAudit(path)
    expect(found.problems.map((problem) => problem.says).join()).toContain(says)
    await expect(openAuditFile(path)).rejects.toThrow('Keep the file as it is')
    // The evidence of the crash is still there for the next look.
    expect((await verifyAudit(path)).ok).toBe(false)
  })

  it('still binds what was before a torn line', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    const first = await openAuditFile(path)
    for (const record of records) await first.append(record)
    await first.close()
    appendFileSync(path, '{')
    await (await openAuditFile(path)).close()
    rewrite(path, (lines) => lines.with(5, lines[5]!.replace('bob', 'eve')))
    expect((await verifyAudit(path)).ok).toBe(false)
  })
})

/** A lock as a process leaves it that could not write its head any more. */
function leaveDead(path: string): void {
  writeFileSync(`${path}.lock`, '{"pid":0,"start":"1","boot":"b","space":"","nonce":"dead"}\n')
}

function recount(head: string, by: number): void {
  const found = parseHead(readFileSync(head, 'utf8'))!
  writeFileSync(head, headText({ ...found, count: found.count + by }))
}

function forge(path: string, lines: number): void {
  const chain = sealer(parseHead(readFileSync(`${path}.head`, 'utf8'))!)
  appendFileSync(path, Array.from({ length: lines }, (_, at) => `${chain.seal(decision(`forged${at}`))}\n`).join(''))
}
