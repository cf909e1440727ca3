import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AuditRecord } from '../../src/audit/record.ts'
import { openAuditFile } from '../../src/audit/jsonl.io.ts'

/** A new folder, removed when the test ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** The lines of a file, without their newlines. */
export const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1)

/** Writes records to a new file and closes it. */
export async function writtenLog(records: readonly AuditRecord[], folder: string = newFolder()): Promise<string> {
  const path = join(folder, 'audit.jsonl')
  const log = await openAuditFile(path, { durable: false })
  for (const record of records) await log.append(record)
  await log.close()
  return path
}
