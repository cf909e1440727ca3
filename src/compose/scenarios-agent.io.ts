import { z } from 'zod'
import { startBankStandins } from '../../standins/all.ts'
import { startIndykite } from '../../standins/indykite.ts'
import { startIntrospect } from '../../standins/introspect.ts'
import { knowledgeDigest, startReplay, type RunningReplay } from '../../standins/replay.ts'
import { bankNamed, type ComposeOptions } from './compose.io.ts'
import { intentModelOf } from './intent-model.io.ts'
import type { Settings } from '../config.io.ts'
import { SettingError } from '../core/setting-error.ts'
import type { OpenWorld } from '../world.io.ts'
import { questionKey, recording, type Recording } from '../intent/recording.ts'
import { openRecording, readRecording, type RecordingFile } from '../intent/recording-file.io.ts'

interface AgentsOptions {
  readonly settings: Settings
  /** The banks whose sentences are read. */
  readonly banks: ReadonlySet<string>
  readonly record?: string | undefined
  readonly replay?: string | undefined
}

/** Who reads the sentences of the gate's calls, in all runs. */
export interface Agents {
  /** As transcripts name it. */
  readonly name: string
  /** What a run at this bank composes its graph with. */
  optionsFor(bank: string, settings: Settings): Pick<ComposeOptions, 'settings' | 'aroundAgent'>
  /** Questions that a replay does not have, one sentence each. */
  unanswered(): readonly string[]
  close(): Promise<void>
}

/**
 * Opens what recording or replaying needs; without either every run has an intent-agent of its own.
 * @throws SettingError for a recording that cannot be used, or options that contradict each other.
 */
export function openAgents(options: AgentsOptions, world: OpenWorld): Promise<Agents> {
  const { record, replay, settings } = options
  if (record !== undefined && replay !== undefined) {
    throw new SettingError('--record', 'contradicts --replay', 'Leave one of the two out')
  }
  const option = record === undefined ? '--replay' : '--record'
  if ((record ?? replay) !== undefined && settings.INTENT_SOURCE === 'definition') {
    throw new SettingError(option, 'needs an intent-agent, and INTENT_SOURCE is definition', 'Unset INTENT_SOURCE')
  }
  if (replay !== undefined) return replaying(options, replay)
  if (record !== undefined) return recorded(options, record, world)
  return Promise.resolve({
    name: agentName(settings),
    optionsFor: (_bank, known) => ({ settings: known }),
    unanswered: () => [],
    close: () => Promise.resolve(),
  })
}

function agentName({ INTENT_AGENT_URL, INTENT_MODEL_BASE_URL, INTENT_MODEL_NAME }: Settings): string {
  if (INTENT_AGENT_URL !== undefined) return 'external'
  return INTENT_MODEL_BASE_URL === undefined ? 'standin' : `model:${INTENT_MODEL_NAME ?? ''}`
}

const pointedAt = (settings: Settings, url: string): Settings => ({
  ...settings,
  INTENT_AGENT_URL: url,
  ...{ INTENT_MODEL_BASE_URL: undefined, INTENT_MODEL_API_KEY: undefined, INTENT_MODEL_NAME: undefined },
})

interface Closable {
  close(): Promise<void>
}

/** Opens one thing for each bank; when one cannot be opened, none is left. */
async function forEach<T>(
  banks: ReadonlySet<string>,
  open: (bank: string, opened: Closable[]) => Promise<T>,
): Promise<{ readonly of: ReadonlyMap<string, T>; readonly close: () => Promise<void> }> {
  const opened: Closable[] = []
  const close = async (): Promise<void> => {
    for (const each of opened.splice(0).reverse()) await each.close()
  }
  try {
    const of = new Map<string, T>()
    for (const bank of banks) of.set(bank, await open(bank, opened))
    return { of, close }
  } catch (cause) {
    await close()
    throw cause
  }
}

async function replaying({ banks, settings }: AgentsOptions, file: string): Promise<Agents> {
  if (settings.INTENT_AGENT_URL !== undefined) {
    throw new SettingError('--replay', 'contradicts INTENT_AGENT_URL', 'Leave one of the two out')
  }
  const answers = readRecording(file)
  const { of, close } = await forEach(banks, (name, opened) => openReplay(name, answers, file, settings, opened))
  return {
    name: 'replay',
    optionsFor: (bank, known) => {
      const url = of.get(bank)?.url
      return { settings: url === undefined ? known : pointedAt(known, url) }
    },
    unanswered: () =>
      [...of].flatMap(([bank, replay]) =>
        replay.unknown().map(({ subject, sentence }) => `${subject.id} at ${bank}: ${sentence}`),
      ),
    close,
  }
}

async function openReplay(
  name: string,
  answers: Recording,
  file: string,
  settings: Settings,
  opened: Closable[],
): Promise<RunningReplay> {
  const bank = bankNamed(name)
  const clientKey = settings.AUTHZEN_PDP_CLIENT_KEY
  const indykite = await startIndykite({ bank, clientKey })
  opened.push(indykite)
  const introspect = await startIntrospect({ tenant: bank.tenant })
  opened.push(introspect)
  const introspectUrl = `${introspect.url}/introspect`
  const tenant = bank.tenant
  const replay = await startReplay({
    tenant,
    recording: answers,
    file,
    indykiteUrl: indykite.url,
    clientKey,
    introspectUrl,
  })
  opened.push(replay)
  return replay
}

async function recorded({ banks, settings }: AgentsOptions, file: string, world: OpenWorld): Promise<Agents> {
  const kept = onlyOnce(openRecording(file))
  const { of, close } = await forEach(banks, (name, opened) => openRecorded(name, kept, settings, world, opened))
  return {
    name: agentName(settings),
    optionsFor: (bank, known) => {
      const agent = of.get(bank)
      return agent === undefined
        ? { settings: known }
        : { settings: pointedAt(known, agent.url), aroundAgent: agent.around }
    },
    unanswered: () => [],
    close,
  }
}

/** Each run has a recorder of its own, and all of them write one file, in which a question may come once. */
function onlyOnce({ known, keep }: RecordingFile): RecordingFile {
  const kept = new Set(known.map(questionKey))
  return {
    known,
    keep: (answer) => {
      const key = questionKey(answer)
      if (kept.has(key)) return
      keep(answer)
      kept.add(key)
    },
  }
}

/** One agent for all runs at a bank, so that all answers are of one version, one schema and one set of policies. */
async function openRecorded(
  name: string,
  { known, keep }: RecordingFile,
  settings: Settings,
  world: OpenWorld,
  opened: Closable[],
): Promise<{ readonly url: string; readonly around: NonNullable<ComposeOptions['aroundAgent']> }> {
  const clientKey = settings.AUTHZEN_PDP_CLIENT_KEY
  const standins = await startBankStandins({ bank: bankNamed(name), clientKey, model: intentModelOf(settings) })
  opened.push(standins)
  const url = settings.INTENT_AGENT_URL ?? standins.agentUrl
  const indykiteUrl = settings.INDYKITE_BASE_URL ?? standins.indykiteUrl
  const [agent, knowledge] = await Promise.all([versionOf(url, world), knowledgeDigest({ indykiteUrl, clientKey })])
  const now = (): Date => world.now()
  return { url, around: (source) => recording(source, { agent, knowledge, now, keep, known }) }
}

// Loose: a card says much more (A2A 1.0, Agent Card).
const Card = z.looseObject({ version: z.string().min(1) })
const CARD_MS = 5_000

async function versionOf(url: string, world: OpenWorld): Promise<string> {
  const deadline = world.deadline(CARD_MS)
  try {
    const place = new URL('/.well-known/agent-card.json', url)
    const { body } = await world.send(place, { method: 'GET', headers: {}, signal: deadline.signal })
    return Card.parse(body).version
  } catch {
    // The card is one thing, its answers another: these go through the gate's own strict client.
    throw new SettingError('--record', 'the intent-agent shows no card with its version', 'Check INTENT_AGENT_URL')
  } finally {
    deadline.clear()
  }
}
