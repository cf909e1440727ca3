import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A disk of its own for one test, with its size in KiB and perhaps read-only; undefined where nothing can be mounted. */
export function smallDisk(kibibytes: number, options = 'rw'): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'gate-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k,${options}`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    // Not root, no such program, or a container without the right to mount.
    rmdirSync(folder)
    return undefined
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
    rmdirSync(folder)
  })
  return folder
}
