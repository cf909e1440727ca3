import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '../config.io.ts'

/** A new audit file for this process, in `AUDIT_DIR` or the state folder (XDG Base Directory Specification). */
export function auditPath({ AUDIT_DIR, XDG_STATE_HOME }: Settings): string {
  const folder = AUDIT_DIR ?? join(XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'intent-gate', 'audit')
  const started = new Date().toISOString().replaceAll(/[:.]/g, '-')
  return join(folder, `${started}-${process.pid}.jsonl`)
}
