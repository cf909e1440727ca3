import type { ReasonCode } from '../core/reasons.ts'
import { isWrite } from './classes.ts'
import type { Prepared } from './prepared.ts'
import type { Refusals } from './refusals.ts'
import type { CertificateState } from './validity.ts'
import type { RegistrySnapshot } from './versions.ts'

/** Messages of one login's session that are kept, ended ones included, so that the right reason can be told. */
const MAX_MESSAGES = 16
/** Message ids that are known to have been used: one that is heard again gets no fresh budget. */
const MAX_MESSAGE_IDS = 1024
/** A tombstone of an ended certificate is kept this long. */
const TOMBSTONE_MS = 24 * 60 * 60_000

/** One certificate with what has become of it. Only this file changes it. */
export interface Entry {
  readonly prepared: Prepared
  readonly turn: number
  readonly issuedMs: number
  readonly snapshot: RegistrySnapshot
  revoked: boolean
  /** A newer message ended its write authority; its reads live on. */
  superseded: boolean
  readonly left: { mutations: number; amountMinor: number | null; calls: number }
  /** Uses that were permitted and have not run yet, by call. */
  readonly reserved: Map<string, Reservation>
}

interface Reservation {
  readonly argsHash: string
  readonly turn: number
  readonly mutations: number
  readonly amountMinor: number
}

/** One message: its stages, or why it has none. */
export interface Message {
  readonly messageId: string
  readonly turn: number
  readonly entries: readonly Entry[]
  /** Which stage is authority now. */
  current: number
  readonly problem?: { readonly code: ReasonCode; readonly kind: 'deny' | 'clarify'; readonly detail: string }
}

/** What one login has in one session. */
export interface Owner {
  /** Oldest first. */
  messages: readonly Message[]
  readonly requestHashes: Map<string, string>
  readonly refusals: Refusals
}

/** A login that has said nothing yet. */
export const newOwner = (refusals: Refusals): Owner => ({ messages: [], requestHashes: new Map(), refusals })

/** A stage with its whole budget left. */
export const newEntry = (prepared: Prepared, turn: number, issuedMs: number, snapshot: RegistrySnapshot): Entry => {
  const { mutations, amountMinor, calls } = prepared.certificate.effectBudget
  const left = { mutations, amountMinor, calls }
  return { prepared, turn, issuedMs, snapshot, revoked: false, superseded: false, left, reserved: new Map() }
}

/** A message that says nothing about what to do, like thanks: what may be read before it may still be read. */
export const isSilent = ({ problem, entries, current }: Message): boolean =>
  problem === undefined ? entries[current]?.prepared.certificate.reviewMode === 'clarify' : problem.kind === 'clarify'

/** A newer trusted message: every older write authority ends, whatever becomes of the new one. */
export function supersede({ messages }: Owner): void {
  for (const { entries } of messages) for (const entry of entries) entry.superseded = true
}

/** Adds a message and its hash; what is over the limits, or long expired, is forgotten. */
export function addMessage(owner: Owner, message: Message, requestHash: string, nowMs: number): void {
  owner.requestHashes.set(message.messageId, requestHash)
  if (owner.requestHashes.size > MAX_MESSAGE_IDS) {
    const [oldest] = owner.requestHashes.keys()
    if (oldest !== undefined) owner.requestHashes.delete(oldest)
  }
  const isKept = ({ entries }: Message): boolean => entries.every(({ issuedMs }) => nowMs - issuedMs < TOMBSTONE_MS)
  owner.messages = [...owner.messages.filter(isKept), message].slice(-MAX_MESSAGES)
}

/** Final for every certificate; open reservations end with it. */
export function revokeAll({ messages }: Owner): void {
  for (const { entries } of messages) for (const entry of entries) entry.revoked = true
}

/** One use of a certificate. */
export interface Use {
  readonly callId: string
  readonly argsHash: string
  readonly turn: number
  readonly writes: boolean
}

/** True when this very call holds a reservation: it may be judged again. */
const holdsIts = ({ reserved }: Entry, { callId, argsHash }: Use): boolean =>
  reserved.get(callId)?.argsHash === argsHash

/** What has become of a certificate, for this use. */
export function stateFor(entry: Entry, use: Use, readTurns: number): CertificateState {
  if (entry.revoked) return 'revoked'
  if (!use.writes) return use.turn - entry.turn < readTurns ? 'active' : 'expired_turn'
  if (entry.superseded) return 'superseded'
  if (use.turn !== entry.turn) return 'expired_turn'
  const isSpent = isWrite(entry.prepared.step.class) && entry.left.mutations < 1
  return isSpent && !holdsIts(entry, use) ? 'consumed' : 'active'
}

/** True while another call fits the budget, or this one has its place already. */
export const hasCallsLeft = (entry: Entry, use: Use): boolean => entry.left.calls > 0 || holdsIts(entry, use)

/** Takes one call and, of a write, its mutation and amount. Synchronous, so that of many at once one gets the last. */
export function take(entry: Entry, use: Use, amountMinor: number): boolean {
  if (holdsIts(entry, use)) return true
  const { left } = entry
  const mutations = use.writes ? 1 : 0
  const isEnough = left.calls >= 1 && left.mutations >= mutations && (left.amountMinor ?? amountMinor) >= amountMinor
  if (!isEnough) return false
  left.calls -= 1
  left.mutations -= mutations
  if (left.amountMinor !== null) left.amountMinor -= amountMinor
  entry.reserved.set(use.callId, { argsHash: use.argsHash, turn: use.turn, mutations, amountMinor })
  return true
}

/** The call did not run: it gives back what it took. */
export function giveBack(entry: Entry, callId: string): void {
  const taken = entry.reserved.get(callId)
  if (taken === undefined) return
  entry.reserved.delete(callId)
  entry.left.calls += 1
  entry.left.mutations += taken.mutations
  if (entry.left.amountMinor !== null) entry.left.amountMinor += taken.amountMinor
}

/** The call ran: what it took is gone, and a stage that has done its write makes place for the next. */
export function consume(message: Message, entry: Entry, callId: string): void {
  const taken = entry.reserved.get(callId)
  if (taken === undefined) return
  entry.reserved.delete(callId)
  const { laterSteps } = entry.prepared.settings
  const isDone = taken.mutations > 0 && entry.left.mutations < 1 && entry.reserved.size === 0
  const isCurrent = message.entries[message.current] === entry
  if (isDone && isCurrent && laterSteps !== 'wait' && message.current + 1 < message.entries.length) message.current += 1
}
