import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { SettingError } from '../core/setting-error.ts'
import { errnoOf, fileError, readText } from './file-error.io.ts'

/** Who owns a log. The start time tells a process from a later one with the same id. */
interface Owner {
  readonly pid: number
  /** Clock ticks since boot; empty where the system does not tell. */
  readonly start: string
  readonly boot: string
  /** The namespace in which `pid` means something. */
  readonly space: string
  /** Never used twice. */
  readonly nonce: string
}

/** One living owner of one log. */
export interface Lock {
  /** True when the owner before ended without releasing. */
  readonly tookOver: boolean
  /** `crashed` leaves the lock as a dead owner's, so that the next one expects what a crash leaves. Never throws. */
  readonly release: (crashed: boolean) => void
}

/**
 * Takes `FILE.lock` for this process.
 *
 * The lock is made whole by link(2), so exactly one of several makes it. A dead owner's lock is replaced by whoever
 * holds the one slot `FILE.lock.<its nonce>`, taken in the same way, and only after another look at the lock: so a lock
 * is never absent while it changes hands, and a late taker finds that it is late.
 * @throws SettingError when a living process owns it, or nobody can tell.
 */
export function acquireLock(file: string): Lock {
  const path = `${file}.lock`
  const self = describeSelf()
  const made = `${path}.${self.nonce}.new`
  try {
    writeOwner(made, self)
    const tookOver = claim({ file, path, made }, path)
    return {
      tookOver,
      release: (crashed) => {
        release(path, self, crashed)
      },
    }
  } catch (cause) {
    throw fileError(file, cause)
  } finally {
    rmSync(made, { force: true })
  }
}

/** Who has not released the log. `nobody` also where something else lies in the lock's place, such as an empty file. */
export type LockHolder = 'living' | 'dead' | 'nobody'

/** Looks at `FILE.lock`. An owner whom this process cannot see, as in another container, counts as dead. */
export function lockHolder(file: string): LockHolder {
  try {
    const owner = readOwner(`${file}.lock`)
    if (owner === undefined || owner.nonce === EMPTIED) return 'nobody'
    return isAlive(file, owner) ? 'living' : 'dead'
  } catch (cause) {
    if (!(cause instanceof SettingError)) throw cause
    return cause.problem.endsWith(ELSEWHERE) ? 'dead' : 'nobody'
  }
}

const EMPTIED = 'emptied'
const ELSEWHERE = 'of another container holds it'

interface Claim {
  readonly file: string
  readonly path: string
  /** Holds this process's own content, to be linked. */
  readonly made: string
}

function claim(what: Claim, name: string): boolean {
  for (;;) {
    if (linked(what.made, name)) return false
    const held = readOwner(name)
    if (held === undefined) continue
    if (isAlive(what.file, held)) throw inUse(what.file, held)
    const slot = `${what.path}.${held.nonce}`
    claim(what, slot)
    // INVARIANT: a dead owner's lock changes only under the hand that holds its slot and has looked since.
    if (readOwner(name)?.nonce === held.nonce) {
      renameSync(slot, name)
      return true
    }
    rmSync(slot)
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return false
    throw cause
  }
}

function release(path: string, self: Owner, crashed: boolean): void {
  try {
    if (readOwner(path)?.nonce !== self.nonce) return
    if (!crashed) rmSync(path)
    else {
      writeOwner(`${path}.${self.nonce}.new`, { ...self, pid: 0, nonce: randomUUID() })
      renameSync(`${path}.${self.nonce}.new`, path)
    }
  } catch (cause) {
    // A lock that cannot be removed is a dead owner's as soon as this process ends.
    if (errnoOf(cause) === undefined) throw cause
  }
}

function writeOwner(path: string, owner: Owner): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    writeSync(fd, `${JSON.stringify(owner)}\n`)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Undefined when there is no lock. One that a person has emptied belongs to nobody alive. */
function readOwner(path: string): Owner | undefined {
  let text: string
  try {
    text = readText(path, 'utf8')
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined
    throw fileError(path, cause)
  }
  if (text.trim() === '') return { pid: 0, start: '', boot: '', space: '', nonce: EMPTIED }
  const [, pid, start, boot, space, nonce] =
    /^\{"pid":(\d+),"start":"(\d*)","boot":"([\w-]*)","space":"([\w:[\]]*)","nonce":"([\w-]+)"\}\n$/.exec(text) ?? []
  if (pid === undefined || start === undefined || boot === undefined || space === undefined || nonce === undefined) {
    throw new SettingError(path, 'it is not a lock that this program wrote', emptyIt(path))
  }
  return { pid: Number(pid), start, boot, space, nonce }
}

function isAlive(file: string, { pid, start, boot, space }: Owner): boolean {
  if (pid === 0) return false
  const here = describeSelf()
  if (boot !== here.boot) return false
  if (space !== here.space) {
    throw new SettingError(file, `process ${pid} ${ELSEWHERE}`, emptyIt(`${file}.lock`))
  }
  try {
    process.kill(pid, 0)
  } catch (cause) {
    if (errnoOf(cause) === 'ESRCH') return false
  }
  const now = processStart(pid)
  return now === undefined || now === start
}

const emptyIt = (lock: string): string =>
  `If no process uses the log any more, empty ${lock} (do not delete it) and start again`

const inUse = (file: string, { pid }: Owner): SettingError =>
  new SettingError(file, `process ${pid} is writing to it`, 'End that process, or choose another file')

const describeSelf = (): Owner => ({
  pid: process.pid,
  start: processStart(process.pid) ?? '',
  boot: readOr('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
  space: readOr('', () => readlinkSync('/proc/self/ns/pid')),
  nonce: randomUUID(),
})

/** Field 22 of proc(5) stat; empty for a process that has ended but was not waited for. Undefined: cannot tell. */
function processStart(pid: number): string | undefined {
  const stat = readOr(undefined, () => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The name in field 2 may hold anything, also a closing parenthesis.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields === undefined) return undefined
  return fields[0] === 'Z' || fields[0] === 'X' ? '' : fields[19]
}

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause
    return otherwise
  }
}
