import { fdatasync } from 'node:fs'
import { promisify } from 'node:util'
import { AuditError } from './audit-error.ts'
import type { AuditLog } from './audit-log.ts'
import { HEAD_LAG, sealer, type ChainEnd } from './chain.ts'
import { errnoOf } from './file-error.io.ts'
import { growingFile, type GrowingFile, type WritableLog } from './growing-file.io.ts'

/** Appends to a log until the first failure. */
export interface LogWriter extends AuditLog {
  /** Refuses further appends and resolves once those under way are settled. Never rejects. */
  readonly stop: () => Promise<void>
  /** True when lines may be left in the file that nobody was told of. */
  readonly isDirty: () => boolean
}

/**
 * Continues the chain of an open log. Without `durable`, each append is written before it returns and never synced, and
 * the head follows at the end of the event loop's turn.
 */
export function logWriter(log: WritableLog, durable: boolean): LogWriter {
  const file = growingFile(log)
  const chain = sealer(log.end)
  let failure: AuditError | undefined
  const fail = (cause: unknown): AuditError => {
    const error = auditError(log.place, cause)
    failure ??= error
    return error
  }
  const lines = durable ? inBatches(log, file, fail) : atOnce(file, fail)
  return {
    append: (record) => {
      if (failure !== undefined) return Promise.reject(failure)
      let line
      try {
        line = chain.seal(record)
      } catch (cause) {
        // The chain has not moved, so what is queued is still good.
        return Promise.reject(fail(cause))
      }
      return lines.write(line, chain.end())
    },
    stop: async () => {
      failure ??= new AuditError(`${log.place}: the audit is closed`)
      await lines.settled()
    },
    isDirty: file.isDirty,
  }
}

interface LineWriter {
  readonly write: (line: string, end: ChainEnd) => Promise<void>
  readonly settled: () => Promise<void>
}

// One such batch being written and one that only the head on the disk lacks stay within HEAD_LAG.
const MAX_BATCH = HEAD_LAG / 2

function atOnce(file: GrowingFile, fail: (cause: unknown) => AuditError): LineWriter {
  const settled = Promise.resolve()
  let beyondHead = 0
  let last: ChainEnd | undefined
  const moveHead = () => {
    if (last === undefined || beyondHead === 0) return
    beyondHead = 0
    try {
      file.moveHead(last)
    } catch (cause) {
      fail(cause)
    }
  }
  return {
    settled: () => {
      moveHead()
      return settled
    },
    write: (line, end) => {
      try {
        file.write(`${line}\n`)
        file.acknowledge(end)
        last = end
        if (beyondHead === 0) setImmediate(moveHead)
        // A busy loop may not end its turn for a long time.
        if (++beyondHead === MAX_BATCH) moveHead()
        return settled
      } catch (cause) {
        file.takeBack()
        return Promise.reject(fail(cause))
      }
    },
  }
}

interface Waiting {
  readonly line: string
  /** The chain with this line. */
  readonly end: ChainEnd
  readonly resolve: () => void
  readonly reject: (cause: AuditError) => void
}

const sync = promisify(fdatasync)

/** Writes and syncs one batch at a time: what arrives during a sync shares the next one. */
function inBatches(log: WritableLog, file: GrowingFile, fail: (cause: unknown) => AuditError): LineWriter {
  const queue: Waiting[] = []
  let running: Promise<void> | undefined
  let unsyncedHead = 0

  const flush = async (batch: readonly Waiting[], end: ChainEnd) => {
    file.write(batch.map(({ line }) => `${line}\n`).join(''))
    await sync(log.fd)
    file.moveHead(end)
    file.acknowledge(end)
    for (const { resolve } of batch) resolve()
    unsyncedHead += batch.length
    if (unsyncedHead + MAX_BATCH <= HEAD_LAG) return
    await sync(log.headFd)
    unsyncedHead = 0
  }
  const run = async () => {
    // Appends of the same tick share the first batch too.
    await Promise.resolve()
    for (;;) {
      const batch = queue.splice(0, MAX_BATCH)
      const last = batch.at(-1)
      if (last === undefined) break
      try {
        await flush(batch, last.end)
      } catch (cause) {
        file.takeBack()
        const failure = fail(cause)
        for (const { reject } of [...batch, ...queue.splice(0)]) reject(failure)
      }
    }
    running = undefined
  }
  return {
    settled: async () => {
      await running
    },
    write: (line, end) =>
      new Promise((resolve, reject) => {
        queue.push({ line, end, resolve, reject })
        running ??= run()
      }),
  }
}

function auditError(place: string, cause: unknown): AuditError {
  if (cause instanceof AuditError) return cause
  const code = errnoOf(cause)
  const why = code === undefined ? 'the record has no JSON form' : `the system answered ${code}`
  return new AuditError(`${place}: the audit could not be written, ${why}`, { cause })
}
