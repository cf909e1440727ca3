import type { CopilotRuntime, GatedSession, ModelChoice } from '../adapters/hosts/session.ts'
import { ungated } from '../adapters/hosts/ungated.ts'
import type { Gate } from '../src/gate/gate.ts'
import { realTools } from './bank-gate.ts'
import { figure, median, timedUs, type Section } from './figures.ts'
import { openGraph, type Graph } from './graph.ts'
import type { Place } from './place.ts'

const WARM_UP = 3
const TURNS = 30

/** One turn with one tool call on the real runtime, with the gate and without, turn about. */
export async function turns(place: Place, runtime: CopilotRuntime, model: ModelChoice): Promise<Section> {
  const [off, exact] = [
    await openGraph(place.file('turns-off.jsonl'), 'off'),
    await openGraph(place.file('turns-exact.jsonl'), 'exact'),
  ]
  const open = ({ login, prompt }: Graph, gate: Gate) => runtime.openSession({ gate, login, model, system: prompt })
  const sessions = [
    await open(off, ungated([...realTools().values()], off.composition.world)),
    await open(off, off.composition.gate),
    await open(exact, exact.composition.gate),
  ] as const
  try {
    return section(await interleaved(sessions))
  } finally {
    for (const session of sessions) await session.close()
    for (const { composition } of [off, exact]) await composition.close()
  }
}

async function interleaved(sessions: readonly GatedSession[]): Promise<readonly (readonly number[])[]> {
  const samples = sessions.map((): number[] => [])
  for (let turn = 0; turn < WARM_UP + TURNS; turn++) {
    // Whoever goes first may find a colder machine, so everybody does in turn.
    for (let at = 0; at < sessions.length; at++) {
      const who = (at + turn) % sessions.length
      const session = sessions[who]
      if (session === undefined) continue
      const us = await timedUs(() => oneTurn(session))
      if (turn >= WARM_UP) samples[who]?.push(us / 1000)
    }
  }
  return samples
}

/** @throws Error when the turn did not run its one call: a failed turn is no figure. */
export async function oneTurn(session: GatedSession): Promise<void> {
  const { ended, error, calls } = await session.send('What is my balance?')
  if (ended !== 'done' || calls.length !== 1 || calls[0]?.executed !== true) {
    throw new Error(`a measured turn ran no call: ${error ?? calls[0]?.judgement.decision.kind ?? 'none was made'}`)
  }
}

function section(samples: readonly (readonly number[])[]): Section {
  const [bare = NaN, asked = NaN, remembered = NaN] = samples.map(median)
  const floor = { what: 'the same turn ungated', value: bare }
  const target = { atMost: 5 }
  return {
    title: 'One turn with one tool call on the real Copilot runtime',
    how: `the same scripted model and prompt, ${TURNS} turns each, one of each in turn; medians and their difference.`,
    figures: [
      figure('a turn, intent-agent and PDP asked', 'ms', asked, { floor }),
      figure('what the gate adds to it', 'ms', asked - bare, { target }),
      figure('a turn, sentence remembered, PDP asked', 'ms', remembered, { floor }),
      figure('what the gate adds to it', 'ms', remembered - bare, { target }),
    ],
  }
}
