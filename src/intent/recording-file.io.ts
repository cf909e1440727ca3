import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { SettingError } from '../core/setting-error.ts'
import { parseRecording, RECORDING_HEADER, type RecordedAnswer, type Recording } from './recording.ts'

/**
 * Reads a recording.
 * @throws SettingError that names the file, and the line when one is wrong.
 */
export const readRecording = (file: string): Recording =>
  parseRecording(
    usable(file, () => readFileSync(file, 'utf8')),
    file,
  )

/** A recording that is being made. */
export interface RecordingFile {
  /** What the file held when it was opened. */
  readonly known: Recording
  /** Appends one answer; it is in the file when this returns. */
  readonly keep: (recorded: RecordedAnswer) => void
}

/**
 * Opens a recording to go on with it, or makes a new one.
 * @throws SettingError when the file cannot be used, or holds anything but a recording.
 */
export function openRecording(file: string): RecordingFile {
  if (!existsSync(file)) {
    usable(file, () => {
      writeFileSync(file, `${RECORDING_HEADER}\n`, { flag: 'wx' })
    })
  }
  return {
    known: readRecording(file),
    keep: (recorded) => {
      usable(file, () => {
        appendFileSync(file, `${JSON.stringify(recorded)}\n`)
      })
    },
  }
}

function usable<T>(file: string, use: () => T): T {
  try {
    return use()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new SettingError(`recording ${file}`, `it cannot be read or written (${code})`, 'Name a file of your own')
  }
}
