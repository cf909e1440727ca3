import type { AuditRecord } from './record.ts'

export interface AuditLog {
  /**
   * Resolves once the record is durable and chained after every earlier one; a rejection means that nothing may run.
   * After a rejection every later append rejects too, until the log is opened again.
   */
  append(record: AuditRecord): Promise<void>
}
