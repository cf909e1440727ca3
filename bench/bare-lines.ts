import { hash } from 'node:crypto'
import { fdatasyncSync, statSync, writeSync } from 'node:fs'
import type { Run } from './figures.ts'

/** Bytes of the decision line and of the outcome line of the measured call. */
const LINES = ['x'.repeat(1_070), 'x'.repeat(400)]

/** What the system and the hash cost by themselves. */
export const bareLines =
  (fd: number): Run =>
  () => {
    for (const line of LINES) {
      hash('sha256', line, 'hex')
      writeSync(fd, line)
    }
  }

/** The same with a look at the file before each line, as the audit looks whether it is still its own. */
export const watchedLines =
  (fd: number, path: string): Run =>
  () => {
    for (const line of LINES) {
      hash('sha256', line, 'hex')
      statSync(path)
      writeSync(fd, line)
    }
  }

/** What a disk costs that each line must reach. */
export const syncedLines =
  (fd: number): Run =>
  () => {
    for (const line of LINES) {
      writeSync(fd, line)
      fdatasyncSync(fd)
    }
  }
