import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

/** Tells one process from every other of this machine, also from a later one with the same number. */
export interface ProcessMark {
  readonly pid: number
  /** When it started, and in which container: two containers may share a folder, but not their process numbers. */
  readonly birth: string
}

/** @throws Error when the operating system does not tell. */
export function ownMark(): ProcessMark {
  const birth = birthOf(process.pid)
  if (birth === undefined) throw new Error('the start time of this process cannot be read')
  return { pid: process.pid, birth: `${birth}-${namespace()}` }
}

/** False only when it is certain: such a process was of this container, and is gone or another one now. */
export function mayLive({ pid, birth }: ProcessMark): boolean {
  const [started, container] = birth.split('-')
  return container !== namespace() || birthOf(pid) === started
}

/** Linux counts in clock ticks since boot (proc_pid_stat(5), starttime); macOS tells the second. */
function birthOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      const started = execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' })
      return started.trim() === '' ? undefined : hash('sha256', started.trim(), 'hex').slice(0, 16)
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command may hold spaces and brackets: count from the last bracket. Field 3 (state) is the first after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    // ENOENT, ESRCH, or an exit code of ps: there is no such process.
    return undefined
  }
}

function namespace(): string {
  if (process.platform !== 'linux') return 'host'
  return hash('sha256', readlinkSync('/proc/self/ns/pid') + bootId(), 'hex').slice(0, 16)
}

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
