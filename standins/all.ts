import type { BankData } from '../src/canbank/bank.ts'
import type { Form } from './extract.ts'
import { startIndykite } from './indykite.ts'
import { startIntentAgent } from './intent-agent.ts'
import { startIntrospect } from './introspect.ts'
import { startIssuer } from './issuer.ts'
import type { IntentModel } from './model-extract.ts'
import type { Grant } from './pdp.ts'
import type { Running } from './serve.ts'

/** A port, and the name of the setting that chose it. */
interface ChosenPort {
  readonly port: number
  readonly setting?: string
}

export interface BankStandinsOptions {
  readonly bank: BankData
  /** IndyKite's client key, asked for and sent. @defaultValue none */
  readonly clientKey?: string | undefined
  /** Sentence forms and policies of an app's own tools. @defaultValue none */
  readonly forms?: readonly Form[] | undefined
  readonly grants?: readonly Grant[] | undefined
  /** What reads sentences for the intent-agent. @defaultValue rules */
  readonly model?: IntentModel | undefined
  /** The intent-agent's log. @defaultValue no log */
  readonly log?: ((line: string) => void) | undefined
  readonly now?: (() => Date) | undefined
  /** @defaultValue the system chooses, and the agent's health has no port of its own */
  readonly ports?:
    Readonly<Partial<Record<'indykite' | 'introspect' | 'issuer' | 'agent' | 'agentHealth', ChosenPort>>> | undefined
}

export interface BankStandins {
  readonly indykiteUrl: string
  readonly introspectUrl: string
  readonly issuerUrl: string
  readonly agentUrl: string
  /** Ends all of them; the agent, which needs the others, first. */
  close(): Promise<void>
}

/**
 * Starts everything that one bank needs.
 * @throws SettingError when a port cannot be used; then none is left running.
 */
export async function startBankStandins(options: BankStandinsOptions): Promise<BankStandins> {
  const started = await Promise.allSettled(startBelow(options))
  const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const closeBelow = async (): Promise<void> => {
    await Promise.all(running.map((server) => server.close()))
  }
  try {
    const [indykite, introspect, issuer] = started.map(settled)
    if (indykite === undefined || introspect === undefined || issuer === undefined) {
      throw new Error('a stand-in is missing')
    }
    const introspectUrl = `${introspect.url}/introspect`
    const agent = await startAgent(options, indykite.url, introspectUrl)
    const close = async (): Promise<void> => {
      await agent.close()
      await closeBelow()
    }
    return { indykiteUrl: indykite.url, introspectUrl, issuerUrl: issuer.url, agentUrl: agent.url, close }
  } catch (cause) {
    await closeBelow()
    throw cause
  }
}

function startBelow({ bank, clientKey, grants, now, ports }: BankStandinsOptions): readonly Promise<Running>[] {
  const at = (chosen: ChosenPort | undefined) => ({ port: chosen?.port, portSetting: chosen?.setting })
  return [
    startIndykite({ bank, clientKey, grants, ...at(ports?.indykite) }),
    startIntrospect({ tenant: bank.tenant, ...at(ports?.introspect) }),
    startIssuer({ bank, now, ...at(ports?.issuer) }),
  ]
}

function startAgent(options: BankStandinsOptions, indykiteUrl: string, introspectUrl: string): Promise<Running> {
  const { bank, clientKey, forms, model, log, now, ports } = options
  return startIntentAgent({
    tenant: bank.tenant,
    indykiteUrl,
    introspectUrl,
    clientKey,
    forms,
    model,
    log,
    now,
    port: ports?.agent?.port,
    portSetting: ports?.agent?.setting,
    healthPort: ports?.agentHealth?.port,
    healthPortSetting: ports?.agentHealth?.setting,
  })
}

function settled(each: PromiseSettledResult<Running>): Running {
  if (each.status === 'fulfilled') return each.value
  throw each.reason
}
