import { readFileSync } from 'node:fs'
import { SettingError } from '../core/setting-error.ts'
import { importSuite, type Suite } from './suite.ts'

/**
 * Reads AgentDojo's banking suite. It is not part of this project and is never written anywhere.
 * @throws SettingError when it cannot be read or is something else.
 */
export function readSuite(file: string): Suite {
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new SettingError(`--agentdojo ${file}`, `cannot be read (${code})`, 'Name the JSON file of the banking suite')
  }
  return importSuite(content, file)
}
