import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { SettingError } from '../core/setting-error.ts'

const SETTING = 'LOGIN_TOKEN_FILE'
const MAX_BYTES = 16 * 1024
/** Permission bits of everyone but the owner. */
const OTHERS = 0o077

/** What was in the file of `LOGIN_TOKEN_FILE`. */
export interface TokenFile {
  /** A secret. */
  readonly token: string
  /** Something that the owner of the file should change. */
  readonly warning?: string
}

/**
 * The one token in a file of at most 16 KiB, without the space around it.
 * @throws SettingError for anything else; nothing of the file is quoted.
 */
export function readTokenFile(path: string): TokenFile {
  const { text, mode } = readWhole(path)
  const token = text.trim()
  if (token === '') throw new SettingError(SETTING, `${path} is empty`, 'Put the token in it')
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new SettingError(SETTING, `${path} holds more than one token`, 'Put the token alone on one line')
  }
  if ((mode & OTHERS) === 0) return { token }
  return { token, warning: `${SETTING}: others on this machine may read ${path}; run chmod 600 on it` }
}

function readWhole(path: string): { readonly text: string; readonly mode: number } {
  let file: number | undefined
  try {
    // Without blocking, because opening a pipe waits for somebody to write.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new SettingError(SETTING, `${path} is not a file`, 'Name a file that holds the token')
    const bytes = Buffer.alloc(MAX_BYTES + 1)
    const size = readSync(file, bytes)
    if (size > MAX_BYTES) throw new SettingError(SETTING, `${path} is over 16 KiB`, 'Put the token alone in it')
    return { text: bytes.toString('utf8', 0, size), mode: stat.mode }
  } catch (cause) {
    if (cause instanceof SettingError) throw cause
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new SettingError(SETTING, `${path} cannot be read (${code})`, 'Name a readable file')
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
