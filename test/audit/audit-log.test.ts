import { join } from 'node:path'
import { describe, onTestFinished } from 'vitest'
import { openAuditFile } from '../../src/audit/jsonl.io.ts'
import { memoryLog } from '../../src/audit/memory-log.ts'
import { describeAuditLog } from './audit-log.contract.ts'
import { linesOf, newFolder } from './folder.ts'

describe('the log in memory', () => {
  describeAuditLog(async () => {
    const log = memoryLog()
    return { log, lines: () => log.lines }
  })
})

describe.each([{ durable: true }, { durable: false }])('the log in a file, durable: $durable', ({ durable }) => {
  describeAuditLog(async () => {
    const path = join(newFolder(), 'audit.jsonl')
    const log = await openAuditFile(path, { durable })
    onTestFinished(() => log.close())
    return { log, lines: () => linesOf(path) }
  })
})
