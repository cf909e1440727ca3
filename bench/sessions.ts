import type { CopilotRuntime, GatedSession, ModelChoice } from '../adapters/hosts/session.ts'
import { figure, timedUs, type Figure, type Section } from './figures.ts'
import { openGraph } from './graph.ts'
import { descendants, residentMb } from './memory.ts'
import type { Place } from './place.ts'
import { oneTurn } from './turns.ts'

const SESSIONS = 100
const AT_ONCE = 4

/** Memory of the runtime and of this process while many sessions are open that have each had a turn. */
export async function sessions(place: Place, runtime: CopilotRuntime, model: ModelChoice): Promise<Section> {
  const { composition, login, prompt } = await openGraph(place.file('sessions.jsonl'), 'exact')
  const { gate } = composition
  const before = memory()
  const open: GatedSession[] = []
  const openOne = async (): Promise<void> => {
    const session = await runtime.openSession({ gate, login, model, system: prompt })
    open.push(session)
    await oneTurn(session)
  }
  try {
    const us = await timedUs(() => someAtOnce(SESSIONS, openOne))
    return {
      title: `${SESSIONS} open sessions on one runtime`,
      how: 'each has had one turn with one call and is still open; resident memory from /proc, in megabytes of 10^6 bytes.',
      figures: [
        ...memoryFigures(before, memory()),
        figure('opening one and its first turn', 'ms', us / 1000 / SESSIONS),
      ],
    }
  } finally {
    for (const session of open) await session.close()
    await composition.close()
  }
}

async function someAtOnce(count: number, run: () => Promise<void>): Promise<void> {
  let left = count
  const work = async (): Promise<void> => {
    while (left-- > 0) await run()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

interface Memory {
  readonly runtimeMb: number
  readonly ownMb: number
}

/** Undefined where the system does not tell. */
function memory(): Memory | undefined {
  const ownMb = residentMb(process.pid)
  if (ownMb === undefined) return undefined
  const runtimeMb = descendants(process.pid).reduce((sum, pid) => sum + (residentMb(pid) ?? 0), 0)
  return { runtimeMb, ownMb }
}

function memoryFigures(before: Memory | undefined, after: Memory | undefined): readonly Figure[] {
  if (before === undefined || after === undefined) return []
  const floor = { what: 'before the first of them', value: before.runtimeMb + before.ownMb }
  return [
    figure('runtime and this process together', 'MB', after.runtimeMb + after.ownMb, {
      target: { atMost: 600 },
      floor,
    }),
    figure('the runtime', 'MB', after.runtimeMb),
    figure('this process, stand-ins and benchmarks included', 'MB', after.ownMb),
  ]
}
