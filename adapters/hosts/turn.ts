import type { ToolCall } from '../../src/core/call.ts'
import type { ReasonCode } from '../../src/core/reasons.ts'
import type { Judgement, RunResult } from '../../src/gate/gate.ts'
import type { AttemptedCall } from './session.ts'

/** What the model has streamed of one call, before anything is decided. */
interface Sighting {
  readonly tool: string
  readonly text: string
}

interface Attempt {
  readonly call: AttemptedCall
  executed: boolean
  breach?: ReasonCode
}

/** The calls of one turn, from the first piece that the model streams to the result of the run. */
export interface Turn {
  /** Counts from 1. */
  readonly number: number
  /** Names of the tools that the model is shown. A call of another one reads to the model like one that does not exist. */
  readonly visible: ReadonlySet<string>
  /** True from the end of the turn on: nothing that belongs to it is permitted any more. */
  readonly isOver: () => boolean
  /** Resolves when the turn is over. */
  readonly over: Promise<void>
  end(): void
  /** Notes that the model named a call; `piece` is added to the text of its arguments. */
  streamed(id: string, tool: string, piece: string): void
  /** Notes that the runtime knows of a call; `args` count only where no text was streamed. */
  named(id: string, tool: string, args?: unknown): void
  decided(call: ToolCall, judgement: Judgement): AttemptedCall
  /** Notes a run from its start; the result tells whether the tool's own code was entered. */
  ran(id: string, tool: string, result: Promise<RunResult>): void
  /** The calls that the model named and nobody asked about. */
  undecided(): readonly (Sighting & { readonly id: string })[]
  /** Resolves when no run is under way. */
  settled(): Promise<unknown>
  /** In the order in which the model named them. */
  attempts(): readonly AttemptedCall[]
}

/** A turn in which nothing has happened yet. */
export function createTurn(number: number, visible: ReadonlySet<string>): Turn {
  let isOver = false
  let markOver = (): void => undefined
  const over = new Promise<void>((resolve) => {
    markOver = resolve
  })
  const sightings = new Map<string, Sighting>()
  const attempts: Attempt[] = []
  const runs: Promise<void>[] = []
  return {
    number,
    visible,
    over,
    isOver: () => isOver,
    end: () => {
      isOver = true
      markOver()
    },
    streamed: (id, tool, piece) => {
      see(sightings, id, tool, (text) => text + piece)
    },
    named: (id, tool, args) => {
      see(sightings, id, tool, (text) => (text === '' && args !== undefined ? JSON.stringify(args) : text))
    },
    decided: (call, judgement) => {
      const { id, kind, tool, args } = call
      const attempted: AttemptedCall = {
        toolCallId: id,
        kind,
        tool,
        args,
        judgement,
        executed: false,
        ms: judgement.ms,
      }
      attempts.push({ call: attempted, executed: false })
      return attempted
    },
    ran: (id, tool, result) => {
      const attempt = attempts.find(({ call, executed }) => isPermitted(call, id, tool) && !executed)
      if (attempt !== undefined) runs.push(noteRun(attempt, result))
    },
    undecided: () =>
      [...sightings]
        .filter(([id]) => !attempts.some(({ call }) => call.toolCallId === id))
        .map(([id, sighting]) => ({ id, ...sighting })),
    settled: () => Promise.allSettled(runs),
    attempts: () => inOrder([...sightings.keys()], attempts),
  }
}

async function noteRun(attempt: Attempt, result: Promise<RunResult>): Promise<void> {
  // Until it is known: a run that has begun may have had its effect.
  attempt.executed = true
  const ran = await result.catch(() => undefined)
  attempt.executed = ran?.executed ?? true
  if (ran?.kind === 'breached') attempt.breach = ran.code
}

function inOrder(ids: readonly string[], attempts: readonly Attempt[]): readonly AttemptedCall[] {
  const placeOf = ({ toolCallId }: AttemptedCall): number => {
    const place = ids.indexOf(toolCallId)
    return place === -1 ? ids.length : place
  }
  return attempts
    .map(({ call, executed, breach }) => ({ ...call, executed, ...(breach === undefined ? {} : { breach }) }))
    .toSorted((first, second) => placeOf(first) - placeOf(second))
}

function see(sightings: Map<string, Sighting>, id: string, tool: string, change: (text: string) => string): void {
  const before = sightings.get(id) ?? { tool: '', text: '' }
  sightings.set(id, { tool: before.tool === '' ? tool : before.tool, text: change(before.text) })
}

const isPermitted = (call: AttemptedCall, id: string, tool: string): boolean =>
  call.toolCallId === id && call.tool === tool && call.judgement.decision.kind === 'permit'
