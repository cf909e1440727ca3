import { readdirSync, readFileSync } from 'node:fs'

/** Resident megabytes (10^6 bytes) of a process; undefined where the system has no `/proc`, or the process is gone. */
export function residentMb(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1]
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / 1e6
}

/** The processes that a process has started, and those that they have, and so on. */
export function descendants(pid: number): readonly number[] {
  const children = processes().filter((each) => parentOf(each) === pid)
  return children.flatMap((child) => [child, ...descendants(child)])
}

function processes(): readonly number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    // No `/proc`: not Linux.
    return []
  }
}

/** Field 4 of proc(5) stat; the name in field 2 may hold brackets. */
function parentOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`)
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has ended meanwhile.
    return undefined
  }
}
