import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { createBaseDirectory } from '../../adapters/hosts/base-directory.io.ts'
import { assertTested, type RuntimeVersion } from '../../adapters/hosts/runtime-version.ts'
import { openAuditFile } from '../audit/jsonl.io.ts'
import type { Settings } from '../config.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { auditPath } from './audit-path.io.ts'
import { nodeCheck, platformCheck, type Check } from './doctor.ts'

/** What this machine gives the program. Leaves nothing behind. */
export async function programChecks(settings: Settings, version: string): Promise<readonly Check[]> {
  return [
    { section: 'program', name: 'intent-gate', state: 'ok', says: version },
    nodeCheck(process.versions.node),
    platformCheck(process.platform, process.arch),
    await auditCheck(auditPath(settings)),
    privateFolderCheck(),
  ]
}

/** An audit file is opened and closed as `chat` does it, because not every file system can do what it needs. */
async function auditCheck(path: string): Promise<Check> {
  const folder = dirname(path)
  const made = missingFolders(folder)
  try {
    const file = await openAuditFile(path)
    await file.close()
    return { section: 'program', name: 'audit folder', state: 'ok', says: `${folder} can be written` }
  } catch (cause) {
    return settingFailure('audit folder', cause)
  } finally {
    removeTrial(path, made)
  }
}

function missingFolders(folder: string): readonly string[] {
  const missing: string[] = []
  for (let each = folder; !existsSync(each) && dirname(each) !== each; each = dirname(each)) missing.push(each)
  return missing
}

function removeTrial(path: string, made: readonly string[]): void {
  try {
    for (const suffix of ['', '.head', '.lock']) rmSync(`${path}${suffix}`, { force: true })
    for (const folder of made) rmdirSync(folder)
  } catch (cause) {
    // The folder is read-only, or another process has begun to use it: then it is not ours to remove.
    if (!(cause instanceof Error && 'code' in cause)) throw cause
  }
}

function privateFolderCheck(): Check {
  try {
    createBaseDirectory().remove()
    return { section: 'program', name: 'private folder', state: 'ok', says: `${tmpdir()} can hold one` }
  } catch (cause) {
    return settingFailure('private folder', cause)
  }
}

/** Whether the runtime that was started is one that was tested. */
export function runtimeCheck(found: RuntimeVersion): Check {
  try {
    assertTested(found)
    const says = `SDK ${found.sdk}, runtime ${found.runtime}, tested`
    return { section: 'program', name: 'Copilot runtime', state: 'ok', says }
  } catch (cause) {
    return settingFailure('Copilot runtime', cause)
  }
}

/**
 * A setting or a file that is wrong, as a finding.
 * @throws the cause when it is anything else.
 */
export function settingFailure(name: string, cause: unknown): Check {
  if (!(cause instanceof SettingError)) throw cause
  const { what, problem, fix } = cause
  return { section: 'program', name, state: 'fail', says: `${what}: ${problem}`, fix }
}
