import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openAuditFile } from '../../src/audit/jsonl.io.ts'
import { followAudit, openDecisions, readAudit } from '../../src/audit/show.io.ts'
import { joinRecords, matches, type AuditLine, type RowFilter } from '../../src/audit/show.ts'
import { verifyAudit } from '../../src/audit/verify.io.ts'
import { visibleLine } from '../../src/core/visible.ts'
import { linesOf, newFolder, writtenLog } from './folder.ts'
import { bypass, decision, outcome } from './records.ts'

const lines = (...records: readonly object[]): readonly AuditLine[] =>
  records.map((record, at) => ({ line: at + 1, value: { ...record } }))

const denied = decision('d2', {
  decision: 'deny',
  code: 'pdp.denied',
  cause: 'decision',
  at: '2026-12-01T09:00:00.000Z',
  caller: { type: 'Customer', id: 'alice' },
  tenant: 'fjordbank',
  session: 's-2',
})

describe('the rows', () => {
  it('join each outcome to its decision, also when calls overlap', () => {
    const rows = joinRecords(
      lines(decision('d1'), denied, decision('d3'), outcome('d3', { outcome: 'failed' }), outcome('d1'), bypass()),
    )
    expect(rows.map(({ line, decision: kind, code, outcome: ran }) => [line, kind, code, ran])).toEqual([
      [1, 'permit', '', 'done'],
      [2, 'deny', 'pdp.denied', ''],
      [3, 'permit', '', 'failed'],
      [6, 'bypass', 'permit.missing', ''],
    ])
    expect(rows[0]).toEqual({
      line: 1,
      at: '2026-12-01T08:00:00.000Z',
      tenant: 'canbank',
      caller: 'Customer:bob',
      session: 's-1',
      toolCallId: 'c1',
      tool: 'get_account_balance',
      args: 'account_id=acc-bob-checking',
      sentence: 'View the balance of Account acc-bob-checking',
      evaluations: ['Customer bob · VIEW_ACCOUNT_BALANCE · Account acc-bob-checking → true'],
      opinions: ['login: permit', 'firewall: permit', 'coverage: permit', 'pdp: permit'],
      detail: '',
      decision: 'permit',
      code: '',
      outcome: 'done',
      ms: 2.4,
    })
  })

  it("name the tool's own code of a refusal", () => {
    const [row] = joinRecords(lines(decision('d1'), outcome('d1', { outcome: 'refused', code: 'account.closed' })))
    expect(row).toMatchObject({ decision: 'permit', code: 'account.closed', outcome: 'refused' })
  })

  it('keep an outcome whose decision is not there', () => {
    expect(joinRecords(lines(outcome('gone')))).toMatchObject([{ decision: '', outcome: 'done' }])
  })

  it('show what no record should hold without failing', () => {
    const strange = { type: 5, at: {}, caller: 'text', args: ['a', null], ms: 'long', code: ['x'] }
    const [row] = joinRecords(lines(strange))
    expect(row).toMatchObject({ at: '{}', caller: 'text', args: '0=a, 1=', decision: '5', code: '["x"]' })
  })

  it('keep long arguments whole, so that no currency or payee is out of sight', () => {
    const [row] = joinRecords(lines(decision('d1', { args: { text: '😀'.repeat(500) } })))
    expect(row?.args).toBe(`text=${'😀'.repeat(500)}`)
  })
})

describe('the filter', () => {
  const rows = joinRecords(lines(decision('d1'), outcome('d1'), denied))
  it.each<{ filter: RowFilter; found: number[] }>([
    { filter: {}, found: [1, 3] },
    { filter: { tenant: 'canbank' }, found: [1] },
    { filter: { caller: 'alice' }, found: [3] },
    { filter: { caller: 'Customer:alice' }, found: [3] },
    { filter: { caller: 'lice' }, found: [] },
    { filter: { tool: 'get_account_balance' }, found: [1, 3] },
    { filter: { tool: 'transfer_money' }, found: [] },
    { filter: { decision: 'deny' }, found: [3] },
    { filter: { code: 'pdp.denied' }, found: [3] },
    { filter: { session: 's-2' }, found: [3] },
    { filter: { sinceMs: Date.parse('2026-12-01T09:00:00Z') }, found: [3] },
    { filter: { sinceMs: Date.parse('2026-12-01T09:00:00.001Z') }, found: [] },
    { filter: { tenant: 'fjordbank', caller: 'bob' }, found: [] },
  ])('$filter finds $found', ({ filter, found }) => {
    expect(rows.filter((row) => matches(row, filter)).map(({ line }) => line)).toEqual(found)
  })
})

describe('a shown text', () => {
  it.each([
    { what: 'an escape sequence', text: '\u001b[31mred', shown: '\\u{1b}[31mred' },
    { what: 'a newline', text: 'a\nb', shown: 'a\\u{a}b' },
    { what: 'a change of direction', text: 'a\u202eb', shown: 'a\\u{202e}b' },
    { what: 'an isolate', text: '\u2066x', shown: '\\u{2066}x' },
    { what: 'a zero-width space', text: 'a\u200bb', shown: 'a\\u{200b}b' },
    { what: 'a tag', text: '\u{e0041}', shown: '\\u{e0041}' },
    { what: 'a C1 control', text: '\u009b', shown: '\\u{9b}' },
    { what: 'a lone surrogate', text: '\ud800', shown: '\\u{d800}' },
    { what: 'plain words', text: 'Åse betaler 5 €', shown: 'Åse betaler 5 €' },
  ])('spells out $what', ({ text, shown }) => {
    expect(visibleLine(text)).toBe(shown)
  })

  test.prop([fc.string({ unit: 'binary' })])('never holds a control character', (text) => {
    const [row] = joinRecords(
      lines(decision('d', { tool: text, args: { [text]: text }, caller: { type: text, id: text } })),
    )
    expect(JSON.stringify([row!.tool, row!.args, row!.caller])).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
  })
})

describe('a file', () => {
  it('is read into rows, and says what it could not read', async () => {
    const path = await writtenLog([decision('d1'), outcome('d1'), denied])
    appendFileSync(path, 'not a line\n{"v":1')
    expect(await readAudit(path, { decision: 'permit' })).toMatchObject({
      rows: [{ line: 1, outcome: 'done' }],
      unreadable: 2,
    })
  })

  it('lists permitted calls without an outcome', async () => {
    const path = await writtenLog([decision('d1'), outcome('d1'), denied, decision('d3')])
    expect(await openDecisions(path)).toMatchObject([{ id: 'd3', line: 4, tool: 'get_account_balance' }])
  })

  it.each([readAudit, openDecisions, verifyAudit])(
    'that is not there is refused with a sentence (%o)',
    async (read) => {
      await expect(read('/nowhere/audit.jsonl')).rejects.toThrow('it does not exist. Check its name')
      await expect(read('/tmp')).rejects.toThrow('it is a folder')
    },
  )

  it('is followed from where it was read', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    const log = await openAuditFile(path)
    onTestFinished(() => log.close())
    await log.append(decision('d1'))
    const { endByte } = await readAudit(path)
    await log.append(outcome('d1'))
    const stop = new AbortController()
    const seen: number[] = []
    const following = followAudit(
      path,
      ({ line }) => {
        seen.push(line)
        if (seen.length === 3) stop.abort()
      },
      stop.signal,
      { fromByte: endByte, everyMs: 5 },
    )
    await log.append(decision('d2'))
    await log.append(outcome('d2'))
    await following
    expect(seen).toEqual([2, 3, 4])
  })

  it('that becomes shorter is not followed further', async () => {
    const path = await writtenLog([decision('d1')])
    await expect(followAudit(path, () => undefined, new AbortController().signal, { fromByte: 1e6 })).rejects.toThrow(
      'it became shorter',
    )
  })

  it('AU-01: a field with a newline and a forged line stays one line, and is shown as one', async () => {
    const id = 'acc-1\n2026-01-01T00:00:00Z ALLOW bob transfer_money'
    const path = await writtenLog([
      decision('d1', { decision: 'deny', code: 'request.invalid', args: { account_id: id } }),
    ])
    expect(linesOf(path)).toHaveLength(1)
    expect(JSON.parse(linesOf(path)[0]!)).toMatchObject({ args: { account_id: id } })
    const { rows } = await readAudit(path)
    expect(rows[0]!.args).toBe('account_id=acc-1\\u{a}2026-01-01T00:00:00Z ALLOW bob transfer_money')
  })

  it('AU-15: a lone surrogate in an argument is written as text, and the file verifies', async () => {
    const path = await writtenLog([
      decision('d1', { decision: 'deny', code: 'request.invalid', args: { account_id: 'acc-\ud800' } }),
    ])
    expect(readFileSync(path, 'utf8')).toContain('acc-\\\\ud800')
    expect((await verifyAudit(path)).ok).toBe(true)
  })

  it(
    'of 100,000 lines is verified in a few seconds of processor time, and in constant memory',
    { timeout: 60_000 },
    async () => {
      const path = join(newFolder(), 'audit.jsonl')
      const log = await openAuditFile(path, { durable: false })
      for (let at = 0; at < 50_000; at++) {
        await log.append(decision(`d${at}`))
        await log.append(outcome(`d${at}`))
      }
      await log.close()
      const before = process.cpuUsage()
      const heap = process.memoryUsage().rss
      expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 100_000 })
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1000).toBeLessThan(4_000)
      expect((process.memoryUsage().rss - heap) / 2 ** 20).toBeLessThan(150)
    },
  )
})
