/** A record could not be written, so nothing may run; every later append is refused too, until the log is reopened. */
export class AuditError extends Error {
  override readonly name = 'AuditError'
}
