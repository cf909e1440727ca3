import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { CopilotClient, RuntimeConnection } from '@github/copilot-sdk'
import { z } from 'zod'
import { SettingError } from '../../src/core/setting-error.ts'
import type { World } from '../../src/core/world.ts'
import { createBaseDirectory, type BaseDirectory } from './base-directory.io.ts'
import { within } from './bounded.io.ts'
import { openSession } from './open-session.io.ts'
import { assertTested, startFailure } from './runtime-version.ts'
import type { CopilotRuntime, GatedSession, Log } from './session.ts'

const START_MS = 30_000
const STOP_MS = 10_000
/** Sessions that are forgotten must not fill the runtime's memory. */
const IDLE_SECONDS = 900

/** How a runtime is started. */
export interface RuntimeOptions {
  readonly world: World
  /** Breakage that changes no decision. @defaultValue nobody is told */
  readonly log?: Log
  /** Lets sessions use GitHub's models with the Copilot sign-in of this machine. @defaultValue false */
  readonly useCopilotSignIn?: boolean
  /** The folder that the runtime's own tools start in, for sessions with `hostTools`. @defaultValue an empty one */
  readonly workingDirectory?: string
  /**
   * Runs with a version of the SDK or the runtime that nobody has tested: whether every call is asked about is then not
   * known. @defaultValue false
   */
  readonly allowUntestedRuntime?: boolean
}

/**
 * Starts the real Copilot runtime of the SDK in a process and a private folder of its own.
 * @throws SettingError when it is not installed, does not start, or is a version that was not tested.
 */
export async function startCopilotRuntime(options: RuntimeOptions): Promise<CopilotRuntime> {
  return running(options, await startBareRuntime(options))
}

/** The process and the folder of a runtime. */
export interface BareRuntime {
  readonly client: CopilotClient
  readonly base: BaseDirectory
  readonly log: Log
  /** Of the runtime. */
  readonly version: string
  /** The version of the SDK. */
  readonly sdk: string
  /** Ends the process and removes its folder, in bounded time. */
  readonly discard: () => Promise<void>
  readonly removeNow: () => void
}

/** A log that throws must not become a failure of a decision. */
const quietly =
  (log: Log | undefined): Log =>
  (sentence, cause) => {
    try {
      log?.(sentence, cause)
    } catch {
      // There is nobody left to tell.
    }
  }

/**
 * Starts a runtime exactly as `startCopilotRuntime` does, without the lock-down of its sessions: for probing what the
 * runtime does, and for nothing that a person talks to.
 * @throws SettingError when it is not installed, does not start, or is a version that was not tested.
 */
export async function startBareRuntime(options: RuntimeOptions): Promise<BareRuntime> {
  const log = quietly(options.log)
  const base = createBaseDirectory()
  // An exit by process.exit or an uncaught error; after a kill the next start sweeps.
  const removeNow = (): void => {
    base.remove()
  }
  process.once('exit', removeNow)
  const client = clientIn(base, options)
  const discard = async (): Promise<void> => {
    await stopClient(client, log)
    base.remove()
    process.off('exit', removeNow)
  }
  try {
    const [version, sdk] = [await started(client), sdkVersion()]
    if (options.allowUntestedRuntime !== true) assertTested({ sdk, runtime: version })
    return { client, base, log, version, sdk, discard, removeNow }
  } catch (cause) {
    await discard()
    throw cause
  }
}

function running(
  { world, useCopilotSignIn }: RuntimeOptions,
  { client, base, log, version, discard, removeNow }: BareRuntime,
): CopilotRuntime {
  const sessions = new Set<GatedSession>()
  const closed = (session: GatedSession): void => {
    sessions.delete(session)
  }
  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    const all = Promise.all([...sessions].map((session) => session.close()))
    await within(STOP_MS, 'closing the sessions', all).catch((cause: unknown) => {
      log('Not every session was closed in time.', cause)
    })
    await discard()
  }
  return {
    version,
    removeNow,
    stop: () => (stopped ??= stop()),
    openSession: async (options) => {
      if (stopped !== undefined) throw new Error('the Copilot runtime was stopped')
      if (options.model.kind === 'copilot' && useCopilotSignIn !== true) throw NO_SIGN_IN
      const session = await openSession({ client, base, world, log, closed }, options)
      sessions.add(session)
      return session
    },
  }
}

const NO_SIGN_IN = new SettingError(
  'MODEL_PROVIDER',
  'the runtime was started without the Copilot sign-in',
  'Start it with useCopilotSignIn',
)

function clientIn({ home, work, temporary }: BaseDirectory, options: RuntimeOptions): CopilotClient {
  const useLoggedInUser = options.useCopilotSignIn === true
  return new CopilotClient({
    mode: 'empty',
    // Said here, because the SDK would take another connection from the environment.
    connection: RuntimeConnection.forStdio(),
    baseDirectory: home,
    workingDirectory: options.workingDirectory ?? work,
    useLoggedInUser,
    env: environment(temporary, useLoggedInUser),
    sessionIdleTimeoutSeconds: IDLE_SECONDS,
    logLevel: 'error',
  })
}

// Where the Copilot sign-in is looked for: the login of `gh` and the token variables (Copilot CLI, Authentication).
const SIGN_IN = ['HOME', 'XDG_CONFIG_HOME', 'COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN']

/** Never the whole environment: the runtime would inherit every secret of the host. */
function environment(temporary: string, signIn: boolean): Record<string, string> {
  const names = ['PATH', ...(signIn ? SIGN_IN : [])]
  const passed = names.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(passed), TMPDIR: temporary }
}

async function started(client: CopilotClient): Promise<string> {
  try {
    await within(START_MS, 'the start of the Copilot runtime', client.start())
    const { version } = await within(START_MS, 'the first answer of the Copilot runtime', client.getStatus())
    return version
  } catch (cause) {
    throw startFailure(cause)
  }
}

async function stopClient(client: CopilotClient, log: Log): Promise<void> {
  try {
    const errors = await within(STOP_MS, 'the stop of the Copilot runtime', client.stop())
    errors.forEach((error) => {
      log('The Copilot runtime did not stop cleanly.', error)
    })
  } catch (cause) {
    log('The Copilot runtime did not stop; it is killed.', cause)
    await client.forceStop()
  }
}

// Loose: npm's file, of which one field matters.
const Manifest = z.looseObject({ version: z.string() })

/** The SDK does not export its package.json: it is looked for above its entry. */
function sdkVersion(): string {
  let folder = dirname(createRequire(import.meta.url).resolve('@github/copilot-sdk'))
  while (!existsSync(join(folder, 'README.md')) && dirname(folder) !== folder) folder = dirname(folder)
  return Manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).version
}
