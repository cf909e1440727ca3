import type { AttemptedCall, GatedSession, TurnRecord } from '../../adapters/hosts/session.ts'
import { SettingError } from '../core/setting-error.ts'
import { columns } from './columns.io.ts'
import { Interrupted } from './failure.io.ts'
import { hanging } from './hanging.ts'
import { paint, print } from './output.io.ts'
import { callView, type Tone } from './turn-view.ts'

/** Characters of one message that are taken at most. */
const MAX_MESSAGE = 32 * 1024
/** Milliseconds that a runtime gets to end after Ctrl-C. */
export const INTERRUPTED_MS = 1_000

/** @throws SettingError when the message is empty, too long or not valid Unicode. */
export function checkMessage(message: string): void {
  const fix = `Say something in at most ${MAX_MESSAGE} characters of valid Unicode`
  if (message.trim() === '') throw new SettingError('message', 'is empty', fix)
  if (message.length > MAX_MESSAGE) throw new SettingError('message', `has ${message.length} characters`, fix)
  if (!message.isWellFormed()) throw new SettingError('message', 'is not valid Unicode', fix)
}

/** One turn. After an interrupt the gate permits nothing any more, and the runtime, which heard it too, may never answer. */
export async function sent(session: GatedSession, message: string, interrupt: AbortSignal): Promise<TurnRecord> {
  let cutShort: () => void = () => undefined
  const cut = new Promise<never>((_, reject) => {
    cutShort = () => {
      setTimeout(() => {
        reject(new Interrupted())
      }, INTERRUPTED_MS)
    }
    interrupt.addEventListener('abort', cutShort)
  })
  try {
    return await Promise.race([session.send(message, interrupt), cut])
  } finally {
    // The signal outlives the turn, and a conversation has many turns.
    interrupt.removeEventListener('abort', cutShort)
  }
}

/** Prints one attempted call and its decision. */
export function showCall(call: AttemptedCall, gate: boolean, ended: boolean): void {
  for (const { tone, label, text } of callView(call, gate, ended)) {
    for (const line of hanging(label, text, columns()).split('\n')) print(TONES[tone](line))
  }
}

const TONES: Readonly<Record<Tone, (text: string) => string>> = {
  permit: paint.green,
  deny: paint.red,
  plain: (text) => text,
}
