import { expect, it } from 'vitest'
import type { AuditLog } from '../../src/audit/audit-log.ts'
import type { AuditRecord } from '../../src/audit/record.ts'
import { bypass, decision, outcome } from './records.ts'

/** A log and what can be read back from it. */
export interface OpenedLog {
  readonly log: AuditLog
  readonly lines: () => readonly string[]
}

/** What every `AuditLog` promises; `open` makes an empty one. */
export function describeAuditLog(open: () => Promise<OpenedLog>): void {
  const typesOf = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { type: string }).type)
  const idsOf = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as { id: string }).id)

  it('keeps every kind of record, in order', async () => {
    const { log, lines } = await open()
    for (const record of [decision('d1'), outcome('d1'), bypass()]) await log.append(record)
    expect(typesOf(lines())).toEqual(['decision', 'outcome', 'bypass'])
  })

  it('has the record once append resolves', async () => {
    const { log, lines } = await open()
    await log.append(decision('d1'))
    expect(lines()).toHaveLength(1)
  })

  it('keeps the order of calls that do not wait for each other', async () => {
    const { log, lines } = await open()
    const ids = Array.from({ length: 1200 }, (_, at) => `d${at}`)
    await Promise.all(ids.map((id) => log.append(decision(id))))
    expect(idsOf(lines())).toEqual(ids)
  })

  it('keeps the record as it was when append was called', async () => {
    const { log, lines } = await open()
    const args = { account_id: 'before' }
    const appended = log.append(decision('d1', { args }))
    args.account_id = 'after'
    await appended
    expect(lines()[0]).toContain('before')
  })

  it('rejects a record that has no JSON form, and every append after it', async () => {
    const { log, lines } = await open()
    await log.append(decision('d1'))
    const impossible = { ...decision('d2'), args: { amount: 1n } } as unknown as AuditRecord
    await expect(log.append(impossible)).rejects.toThrow('no JSON form')
    await expect(log.append(decision('d3'))).rejects.toThrow('no JSON form')
    expect(idsOf(lines())).toEqual(['d1'])
  })

  it('still keeps what was appended before a record that it rejects', async () => {
    const { log, lines } = await open()
    const earlier = log.append(decision('d1'))
    const impossible = { ...decision('d2'), args: { amount: 1n } } as unknown as AuditRecord
    await expect(log.append(impossible)).rejects.toThrow()
    await earlier
    expect(idsOf(lines())).toEqual(['d1'])
  })
}
