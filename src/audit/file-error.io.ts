import { closeSync, constants, openSync, readFileSync } from 'node:fs'
import { SettingError } from '../core/setting-error.ts'

/** The error name of the system, such as `ENOENT`; undefined for anything that is not the system's. */
export function errnoOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}

const problems: Readonly<Record<string, readonly [problem: string, fix: string]>> = {
  ENOENT: ['it does not exist', 'Check its name'],
  EACCES: ['permission is denied', 'Give this user read and write access, or choose another file'],
  EPERM: ['the system does not permit it', 'Choose a file of this user on a local disk'],
  EROFS: ['it is on a read-only file system', 'Choose a file on a disk that can be written'],
  ENOSPC: ['no space is left on its disk', 'Free some space, or choose a file on another disk'],
  EDQUOT: ['the disk quota is used up', 'Free some space, or choose a file on another disk'],
  EISDIR: ['it is a folder', 'Name a file'],
  ENOTDIR: ['a part of its path is not a folder', 'Check its path'],
  EEXIST: ['a part of its path is not a folder', 'Check its path'],
  ELOOP: ['it is a symbolic link', 'Name the file itself'],
  ENAMETOOLONG: ['its name is too long', 'Choose a shorter name'],
  ENXIO: ['it is not a regular file', 'Name a file'],
  EMFILE: ['too many files are open', 'Raise the limit of open files, or close some'],
}

/** What a person can do about a failure of the system; any other error as it is. */
export function fileError(path: string, cause: unknown): Error {
  const code = errnoOf(cause)
  if (code === undefined) return cause instanceof Error ? cause : new Error('a value was thrown', { cause })
  const [problem, fix] = problems[code] ?? [`the system answered ${code}`, 'Choose another file']
  return new SettingError(path, problem, fix)
}

/** The text of a small file, which must be a file itself and no link. @throws what the system throws. */
export function readText(path: string, encoding: 'utf8' | 'latin1'): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    return readFileSync(fd, encoding)
  } finally {
    closeSync(fd)
  }
}
