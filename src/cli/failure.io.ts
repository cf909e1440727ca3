import { SettingError } from '../core/setting-error.ts'
import { visibleJson, visibleLine } from '../core/visible.ts'

/** 0 done, 1 breakage or a failed verification, 2 bad usage, setting or input file, 130 interrupted. */
export const EXIT = { done: 0, broken: 1, usage: 2, interrupted: 130 } as const

/** A verification or expectation failed; what it found is already on stdout. */
export class Unverified extends Error {
  override readonly name = 'Unverified'
}

/** What was shown was read from a file that does not verify. */
export class NotIntact extends Error {
  override readonly name = 'NotIntact'
}

/** The person pressed Ctrl-C; everything is closed. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** A turn came to nothing for a reason that has a sentence of its own: mostly the model. */
export class TurnFailed extends Error {
  override readonly name = 'TurnFailed'
}

/** A result could not be written down; what was written before is whole. */
export class NotKept extends Error {
  override readonly name = 'NotKept'
}

/** Tells a person, or with `json` a program, why the command ended; gives the exit code. */
export function explainFailure(cause: unknown, json: boolean): number {
  const { code, exit, says, fix } = describe(cause)
  if (json) process.stdout.write(`${visibleJson({ error: { code, says, fix } })}\n`)
  else process.stderr.write(`intent-gate: ${visibleLine(says)}\n  ${visibleLine(fix)}\n`)
  return exit
}

interface Failure {
  readonly code: string
  readonly exit: number
  readonly says: string
  readonly fix: string
}

function describe(cause: unknown): Failure {
  if (cause instanceof SettingError) {
    return { code: 'usage', exit: EXIT.usage, says: `${cause.what}: ${cause.problem}`, fix: sentence(cause.fix) }
  }
  const says = cause instanceof Error ? cause.message : String(cause)
  return { code: 'broken', exit: EXIT.broken, says, fix: fixOf(cause) }
}

function fixOf(cause: unknown): string {
  if (cause instanceof TurnFailed) return 'Run intent-gate doctor: it asks the model and every other service.'
  if (cause instanceof NotIntact) return 'Do not rely on what is shown; intent-gate audit verify names every such line.'
  if (cause instanceof NotKept) return 'Make room: the same command then goes on with what is left.'
  return 'If this goes on, run the command again with --debug and report it.'
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
