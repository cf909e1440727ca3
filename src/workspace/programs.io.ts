import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ToolRefusal } from '../core/tool.ts'

/** The folders that programs are taken from, in this order; never the PATH of whoever started us. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin']
/** Others can write it: whoever they are, they could change what runs. */
const WRITABLE_BY_OTHERS = 0o002

/** Finds programs by bare name and remembers which file that was. */
export interface Programs {
  /**
   * The absolute path of a program; a name with a slash starts at `cwd` and is followed as the kernel would.
   * @throws ToolRefusal when there is none, or when it is another file than at its first use.
   */
  find(name: string, cwd: string): string
}

/** Looks for bare names in the system folders alone, whatever `PATH` says; each program is pinned at its first use. */
export function trustedPrograms(): Programs {
  const pinned = new Map<string, string>()
  return {
    find: (name, cwd) => {
      const path = name.includes('/')
        ? physical(name, cwd)
        : FOLDERS.map((folder) => join(folder, name)).find(isProgram)
      if (path === undefined) throw new ToolRefusal('workspace.no_program', 'There is no such program here.')
      const now = identityOf(path)
      const before = pinned.get(path) ?? now
      if (before !== now) throw new ToolRefusal('workspace.program_changed', 'The program is not the one of before.')
      pinned.set(path, now)
      return path
    },
  }
}

function physical(name: string, cwd: string): string | undefined {
  try {
    const path = realpathSync.native(name.startsWith('/') ? name : `${cwd}/${name}`)
    return isProgram(path) ? path : undefined
  } catch {
    // It leads nowhere.
    return undefined
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    const stats = statSync(path)
    return stats.isFile() && (stats.mode & WRITABLE_BY_OTHERS) === 0
  } catch {
    // Not there, or not ours to run: the next folder is asked.
    return false
  }
}

function identityOf(path: string): string {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true })
    return [dev, ino, size, mtimeNs].join(':')
  } catch {
    throw new ToolRefusal('workspace.no_program', 'There is no such program here.')
  }
}
