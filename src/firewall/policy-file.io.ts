import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { SettingError } from '../core/setting-error.ts'
import { problemLine, readPolicy } from './policy-text.ts'
import type { Policy } from './policy.ts'

/** The policy of the moment. */
export type PolicyState<Built> =
  | {
      readonly ok: true
      readonly built: Built
      /** Lower-case hex, of the bytes that were read. */
      readonly sha256: string
      /** Why a newer file was not taken; undefined when the file on disk is the one in use. */
      readonly stale: string | undefined
    }
  | { readonly ok: false; readonly says: string }

/** How a policy file is opened. */
interface PolicyFileOptions<Built> {
  /** What the rest needs of a policy; called once for each version, never for a call. Throws SettingError to refuse it. */
  readonly build: (policy: Policy, folder: string) => Built
  /** Lower-case hex SHA-256 that the bytes must have; another file is not loaded. */
  readonly pin?: string | undefined
}

/** A policy file that is followed while it changes. */
export interface PolicyFile<Built> {
  /** Costs nothing: reads no disk. */
  current(): PolicyState<Built>
  close(): void
}

/** What a state says whose file has another digest than the pin. */
export const NOT_PINNED = 'the policy file is not the pinned one'
const MAX_BYTES = 1024 * 1024
/** Watching reports a change at once where it works; looking this often makes sure that none is missed. */
const LOOK_MS = 50

/**
 * Loads a policy file and follows it: a change is in force within 100 ms, as a whole or not at all. A file that does not
 * load leaves the last good policy in force and says why. Without a good one every call must be denied.
 */
export function openPolicyFile<Built>(path: string, options: PolicyFileOptions<Built>): PolicyFile<Built> {
  const file = resolve(path)
  let version = versionOf(file)
  let state = load(file, options)
  const look = (): void => {
    const now = versionOf(file)
    if (now === version) return
    version = now
    const next = load(file, options)
    if (next.ok || !state.ok) state = next
    else state = { ...state, stale: next.says }
  }
  const timer = setInterval(look, LOOK_MS)
  timer.unref()
  const watcher = watching(file, look)
  return {
    current: () => state,
    close: () => {
      clearInterval(timer)
      watcher?.close()
    },
  }
}

/** The folder is watched, because a careful editor replaces the file. */
function watching(file: string, look: () => void): { close(): void } | undefined {
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(file)) look()
    })
    // The folder is gone or the system has no watches left: the timer still looks.
    watcher.on('error', () => {
      watcher.close()
    })
    return watcher
  } catch {
    return undefined
  }
}

/** Changes with every write and every replacement; nanoseconds, because two writes share a millisecond. */
function versionOf(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(':')
  } catch {
    return 'none'
  }
}

function load<Built>(file: string, { build, pin }: PolicyFileOptions<Built>): PolicyState<Built> {
  const bytes = readBytes(file)
  if (bytes === undefined) return { ok: false, says: 'the policy file cannot be read, or is larger than 1 MiB' }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (pin !== undefined && sha256 !== pin.toLowerCase()) {
    return { ok: false, says: NOT_PINNED }
  }
  const text = decoded(bytes)
  if (text === undefined) return { ok: false, says: 'the policy file is not UTF-8' }
  const reading = readPolicy(text)
  if (!reading.ok) return { ok: false, says: reading.problems.map(problemLine).join('; ') }
  try {
    return { ok: true, built: build(reading.policy, dirname(file)), sha256, stale: undefined }
  } catch (cause) {
    // This may run in a timer, where nobody catches: a policy that cannot be built is one that does not load.
    const says = cause instanceof SettingError ? reading.located(cause) : 'the policy cannot be put to use'
    return { ok: false, says }
  }
}

function decoded(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : undefined
}

function readBytes(file: string): Buffer | undefined {
  try {
    const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = fstatSync(handle)
      return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(handle) : undefined
    } finally {
      closeSync(handle)
    }
  } catch {
    // Gone, or not ours to read: either way there is no policy.
    return undefined
  }
}
