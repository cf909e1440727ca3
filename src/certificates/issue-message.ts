import type { ToolDefinition } from '../core/tool.ts'
import type { ReasonCode } from '../core/reasons.ts'
import { addMessage, isSilent, newEntry, supersede, type Message, type Owner } from './book.ts'
import { CANON, requestHashOf, type Certificate, type SubjectBinding } from './certificate.ts'
import { isWrite, type ReviewMode } from './classes.ts'
import type { CertificateBrief, CertificateOptions, Issued, TrustedMessage } from './certificates.ts'
import { canonicalMessage, type CanonicalMessage } from './grammar/canonical-message.ts'
import { issueCertificates } from './issue.ts'
import { sessionPolicy, visibleTools } from './manifest.ts'
import { prepare } from './prepared.ts'
import type { CertificateSettings } from './settings.ts'
import type { RegistrySnapshot } from './versions.ts'

type Tools = ReadonlyMap<string, ToolDefinition>

/** What issuing needs of its surroundings. */
export interface IssueRoom {
  readonly options: CertificateOptions
  readonly settings: CertificateSettings
  readonly policy: string
  readonly salt: string
  readonly snapshotOf: (tools: Tools) => RegistrySnapshot
}

type Binding = Omit<SubjectBinding, 'messageId'>

/**
 * Makes the certificates of one message and tells what the session may see (intent-certificate model, issue). The same
 * message id again gives what it gave before: never a second budget.
 */
export function issueMessage(
  room: IssueRoom,
  owner: Owner,
  trusted: TrustedMessage,
  tools: Tools,
  binding: Binding,
): Issued {
  const { mode } = room.options
  if (mode === 'off') return { visible: [...tools.keys()], ask: [] }
  const before = owner.messages.find(({ messageId }) => messageId === trusted.messageId)
  const message = before ?? newMessage(room, owner, trusted, tools, binding)
  const issued = answerOf(owner, message, tools, room.settings.turnLimit)
  if (mode === 'conformance' && issued.visible.some((name) => !tools.has(name))) {
    throw new TypeError('invariant: the manifest shows a tool that the static one lacks')
  }
  return mode === 'shadow' || mode === 'compat' ? { ...issued, visible: [...tools.keys()] } : issued
}

function newMessage(room: IssueRoom, owner: Owner, trusted: TrustedMessage, tools: Tools, binding: Binding): Message {
  const nowMs = room.options.now().getTime()
  // First, so that nothing that goes wrong below leaves the older authority alive.
  supersede(owner)
  const isReplay = owner.requestHashes.has(trusted.messageId)
  const made = isReplay
    ? problem('agent.intent_revoked', 'deny', 'replayed')
    : tryIssue(room, owner, trusted, tools, binding)
  const { messageId, turn } = trusted
  const message: Message = { messageId, turn, current: 0, entries: [], ...made.message }
  addMessage(owner, message, made.requestHash ?? owner.requestHashes.get(messageId) ?? '', nowMs)
  return message
}

interface Made {
  readonly message: Partial<Pick<Message, 'entries' | 'problem'>>
  readonly requestHash?: string
}

const problem = (code: NonNullable<Message['problem']>['code'], kind: 'deny' | 'clarify', detail: string): Made => ({
  message: { problem: { code, kind, detail } },
})

function tryIssue(room: IssueRoom, owner: Owner, trusted: TrustedMessage, tools: Tools, binding: Binding): Made {
  const canonical = canonicalMessage(trusted.text)
  if (!canonical.ok) {
    return canonical.fault === 'lone_surrogate'
      ? problem('agent.intent_invalid', 'deny', canonical.fault)
      : problem('agent.intent_low_confidence', 'clarify', canonical.fault)
  }
  try {
    return issue(room, trusted, canonical.message, tools, { ...binding, messageId: trusted.messageId })
  } catch (cause) {
    // The deriver and the facts are handed in: whatever they throw, this message is authority for nothing.
    report(room, cause)
    return problem('gate.internal_error', 'deny', 'deriver_or_facts')
  }
}

function report({ options }: IssueRoom, cause: unknown): void {
  try {
    options.report?.(cause)
  } catch {
    /* Reporting is best effort; the refusal is not. */
  }
}

function issue(
  room: IssueRoom,
  trusted: TrustedMessage,
  message: CanonicalMessage,
  tools: Tools,
  binding: SubjectBinding,
): Made {
  const { options, settings, policy, salt, snapshotOf } = room
  const facts = options.facts(trusted.login)
  const derivation = options.deriver.derive(message.text, facts)
  const snapshot = snapshotOf(tools)
  const { registry, effects } = snapshot
  const nowMs = options.now().getTime()
  const requestHash = requestHashOf(options.key, { canon: CANON, binding, text: message.text })
  const stages = issueCertificates({
    derivation,
    message,
    binding,
    requestHash,
    facts,
    offered: new Set([...tools.values()].map(({ effect }) => effect.class)),
    versions: { canon: CANON, policy, registry, effects },
    classifierSource: `rule:${options.deriver.id}`,
    settings,
    nowMs,
    newId: options.newId,
    salt,
  })
  options.issued?.(stages.map(({ certificate }) => certificate))
  const entries = stages.map((stage) => newEntry(prepare(stage, facts, settings, salt), trusted.turn, nowMs, snapshot))
  return { message: { entries }, requestHash }
}

function answerOf(owner: Owner, message: Message, tools: Tools, readTurns: number): Issued {
  const certificate = message.entries[message.current]?.prepared.certificate
  const shown = visibleInTurn(message, tools)
  const visible = isSilent(message) ? stillReadable(owner, message, tools, readTurns) : shown
  const code = message.problem?.code ?? (certificate === undefined ? undefined : STANDSTILL[certificate.reviewMode])
  return {
    visible,
    ask: certificate?.missing ?? [],
    ...(certificate === undefined ? {} : { certificate: brief(certificate) }),
    ...(code === undefined ? {} : { clarify: code }),
  }
}

/**
 * What the whole turn may come to need, because a runtime reads its list of tools once a turn: the tools of this stage,
 * and of every write that can begin in this turn. A call ahead of its stage is refused all the same.
 */
function visibleInTurn({ entries, current }: Message, tools: Tools): readonly string[] {
  const stages = entries.slice(current)
  const last = stages.findIndex(
    ({ prepared: { step, settings } }) => !isWrite(step.class) || settings.laterSteps === 'wait',
  )
  const shown = stages
    .slice(0, last === -1 ? stages.length : last + 1)
    .flatMap(({ prepared: { certificate } }) => visibleTools(sessionPolicy(certificate), [...tools.values()]))
  return [...tools].filter(([, tool]) => shown.includes(tool)).map(([name]) => name)
}

/** Reviews under which nothing can be done until the user says more. */
const STANDSTILL: Partial<Record<ReviewMode, ReasonCode>> = {
  clarify: 'agent.intent_low_confidence',
  deny: 'agent.intent_conflicting',
}

const brief = ({ id, auditDigest, intentClasses }: Certificate): CertificateBrief => ({
  id,
  auditDigest,
  state: 'active',
  classes: intentClasses.allowed,
})

/** What an earlier message let the session read, while that lives; a message that says nothing takes nothing away. */
function stillReadable(owner: Owner, message: Message, tools: Tools, readTurns: number): readonly string[] {
  const meant = owner.messages.findLast((each) => !isSilent(each) && message.turn - each.turn < readTurns)
  const entry = meant?.entries[meant.current]
  if (entry === undefined || entry.revoked) return []
  const denied = message.entries[message.current]?.prepared.denied
  return visibleTools(sessionPolicy(entry.prepared.certificate), [...tools.values()])
    .filter(({ effect }) => effect.tier === 'low' && denied?.has(effect.class) !== true)
    .map(({ name }) => name)
}
