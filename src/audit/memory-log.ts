import { AuditError } from './audit-error.ts'
import type { AuditLog } from './audit-log.ts'
import { EMPTY_CHAIN, sealer } from './chain.ts'
import type { AuditRecord } from './record.ts'

/** Keeps records in memory, chained like a file's; for tests and for hosts that have no disk. */
export interface MemoryLog extends AuditLog {
  /** Copies, in the order appended. */
  readonly records: readonly AuditRecord[]
  /** The lines that a file would hold. */
  readonly lines: readonly string[]
}

/** An empty log in memory. */
export function memoryLog(): MemoryLog {
  const records: AuditRecord[] = []
  const lines: string[] = []
  const chain = sealer(EMPTY_CHAIN)
  let failure: AuditError | undefined
  return {
    records,
    lines,
    append: (record) => {
      if (failure !== undefined) return Promise.reject(failure)
      try {
        lines.push(chain.seal(record))
        records.push(structuredClone(record))
        return Promise.resolve()
      } catch (cause) {
        failure = new AuditError('the record has no JSON form', { cause })
        return Promise.reject(failure)
      }
    },
  }
}
