import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { SettingError } from '../../src/core/setting-error.ts'
import type { Login } from '../../src/core/login.ts'
import type { ToolDefinition } from '../../src/core/tool.ts'
import type { Gate } from '../../src/gate/gate.ts'
import { within } from './bounded.io.ts'
import { gatedSession, openSession, prepareSession, type Host } from './open-session.io.ts'
import { CANARY, MUST_DENY, type Probe, type ProbeCall, type ProbePlace } from './probe-list.io.ts'
import { canaryResult, denialResult, type Evidence, type ProbeResult } from './probe-result.ts'
import { probeTool } from './probe-tool.ts'
import type { CopilotRuntime, GatedSession, SessionOptions, TurnRecord } from './session.ts'

const OPEN_MS = 10_000
const TURN_MS = 10_000
const DECISION_MS = 5_000

/** A model on loopback that makes one call and then ends the turn. */
export interface ProbeModel {
  readonly url: string
  /** The bodies of the requests so far, as JSON text. */
  readonly requests: () => readonly string[]
  close(): Promise<void>
}

/** A gate of the probe's own, which nobody else uses. */
export interface ProbeGate {
  readonly gate: Gate
  /** How many runs without a permit are on its record. */
  readonly bypasses: () => number
}

/** What the canary needs of the process around it. */
export interface CanaryBench {
  readonly login: Login
  /** A gate with this one tool that permits the resource `PERMITTED` and no other. */
  readonly openGate: (tool: ToolDefinition) => ProbeGate
  readonly openModel: (call: ProbeCall) => Promise<ProbeModel>
}

/** What all probes need. */
export interface ProbeBench extends CanaryBench {
  /** A runtime for probes only: they open sessions in it that are not locked down. */
  readonly host: Host
  /** The program `probe-mcp.io`. */
  readonly mcpServer: string
}

/**
 * Tries every known way around the gate in real sessions, one after the other. Never rejects: a probe that breaks is a
 * result that is not ok.
 */
export async function runProbes(
  bench: ProbeBench,
  onProbe: (tries: string) => void = (): void => undefined,
): Promise<readonly ProbeResult[]> {
  const results: ProbeResult[] = []
  for (const probe of [CANARY, ...MUST_DENY]) {
    onProbe(probe.tries)
    results.push(await runProbe(bench, probe))
  }
  return results
}

/**
 * Shows that a runtime asks, in a locked-down session of it: one permitted call must come to the gate once, and run once.
 * Never rejects.
 */
export async function runCanary(bench: CanaryBench, open: CopilotRuntime['openSession']): Promise<ProbeResult> {
  const nowhere = { home: '', marker: '', mcpServer: '' }
  return canaryResult(CANARY, await evidenceOf(bench, CANARY, nowhere, ({ options }) => open(options)))
}

async function runProbe(bench: ProbeBench, probe: Probe): Promise<ProbeResult> {
  const { host, mcpServer } = bench
  const { home, temporary } = host.base
  const place = { home, mcpServer, marker: join(temporary, `probe-${randomUUID()}`) }
  const evidence = await evidenceOf(bench, probe, place, (trial) => openFor(host, probe, trial))
  return probe === CANARY ? canaryResult(probe, evidence) : denialResult(probe, evidence)
}

const NOTHING: Evidence = {
  offered: true,
  asked: 0,
  hookDenied: false,
  bypasses: 0,
  runs: 0,
  sessionRefused: false,
}

/** What a probe has seen, also when it broke half-way: a call may have run by then. */
interface Trial {
  readonly place: ProbePlace
  readonly runs: () => number
  readonly bypasses: () => number
  readonly model: ProbeModel
  readonly options: SessionOptions
  asked: number
  hookDenied: boolean
}

async function evidenceOf(
  bench: CanaryBench,
  probe: Probe,
  place: ProbePlace,
  open: (trial: Trial) => Promise<GatedSession>,
): Promise<Evidence> {
  const closers: (() => Promise<void> | void)[] = []
  try {
    const trial = await prepare(bench, probe.call(place), place, closers)
    try {
      closers.push(probe.plant?.(trial.place) ?? ((): void => undefined))
      const session = await open(trial)
      closers.push(() => session.close())
      return seen(probe, trial, await session.send('Probe.'))
    } catch (cause) {
      return broken(probe, trial, cause)
    }
  } catch (cause) {
    return { ...NOTHING, error: sentenceOf(cause) }
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function prepare(
  { login, openGate, openModel }: CanaryBench,
  call: ProbeCall,
  place: ProbePlace,
  closers: (() => Promise<void> | void)[],
): Promise<Trial> {
  const { tool, runs } = probeTool()
  const { gate, bypasses } = openGate(tool)
  const model = await openModel(call)
  closers.push(() => model.close())
  const options: SessionOptions = {
    gate: {
      ...gate,
      authorize: (call, approver) => {
        trial.asked += 1
        return gate.authorize(call, approver)
      },
    },
    login,
    system: 'You are a probe.',
    model: { kind: 'openai', baseUrl: model.url, apiKey: 'none', name: 'probe' },
    turnTimeoutMs: TURN_MS,
    decisionTimeoutMs: DECISION_MS,
  }
  const trial: Trial = { place, runs, bypasses, model, options, asked: 0, hookDenied: false }
  return trial
}

async function openFor(host: Host, probe: Probe, trial: Trial): Promise<GatedSession> {
  if (probe.lockedDown === true) return openSession(host, trial.options)
  const { mediator, config } = prepareSession(host, trial.options)
  const heard = {
    ...config,
    hooks: {
      ...config.hooks,
      onPreToolUse: (...given: Parameters<typeof mediator.onPreToolUse>) => {
        const answer = mediator.onPreToolUse(...given)
        if (answer.permissionDecision === 'deny') trial.hookDenied = true
        return answer
      },
    },
  }
  const weak = probe.weaken?.(heard, trial.place) ?? heard
  const session = await within(OPEN_MS, 'opening the session', host.client.createSession(weak))
  await probe.afterwards?.(session)
  return gatedSession(host, trial.options, session, mediator)
}

function seen(probe: Probe, trial: Trial, record: TurnRecord): Evidence {
  const denied = record.calls.find(({ judgement }) => judgement.decision.kind !== 'permit')?.judgement.decision
  const [first = '', ...later] = trial.model.requests()
  return {
    ...NOTHING,
    ...measured(probe, trial, later.join('\n')),
    offered: probe.offers === undefined || first.includes(`"name":"${probe.offers}"`),
    ...(denied === undefined || denied.kind === 'permit' ? {} : { deniedWith: denied.reason }),
    ...(record.ended === 'done' ? {} : { error: `The turn did not end well. ${record.error ?? ''}`.trim() }),
  }
}

const measured = (
  { effects }: Probe,
  { asked, hookDenied, bypasses, runs, place }: Trial,
  told: string,
): Pick<Evidence, 'asked' | 'hookDenied' | 'bypasses' | 'runs'> => ({
  asked,
  hookDenied,
  bypasses: bypasses(),
  runs: runs() + (effects?.(place, told) ?? 0),
})

/** A session that is refused for what was planted is an answer; anything else that was thrown is a broken probe. */
function broken(probe: Probe, trial: Trial, cause: unknown): Evidence {
  const told = trial.model.requests().slice(1).join('\n')
  const seenSoFar = { ...NOTHING, ...measured(probe, trial, told) }
  const isRefusal = cause instanceof SettingError && cause.what === probe.refusedFor?.(trial.place)
  return isRefusal ? { ...seenSoFar, sessionRefused: true } : { ...seenSoFar, error: sentenceOf(cause) }
}

function sentenceOf(cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause)
  return `The probe broke: ${said.replaceAll(/\s+/g, ' ').trim()}`
}
