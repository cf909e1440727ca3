import type { Approver } from '../../adapters/hosts/session.ts'
import { formatMinor } from '../canbank/money.ts'
import type { Certificate } from '../certificates/certificate.ts'
import type { ToolCall } from '../core/call.ts'
import type { Login } from '../core/login.ts'
import type { Gate, RunResult } from '../gate/gate.ts'
import { isCall } from '../runner/calls.ts'
import { finder } from '../runner/mentions.ts'
import type { Manifest, Prompt, Sighting } from '../runner/record.ts'
import type { CertificateFields } from '../runner/reference.ts'
import type { Scenario } from '../runner/scenario.ts'

/** Keeps the certificates that messages become, in the order of the messages. */
export interface IssuedLog {
  readonly hear: (certificates: readonly Certificate[]) => void
  /** Takes what was heard since the last time. */
  taken(): readonly CertificateFields[]
}

export function issuedLog(): IssuedLog {
  let heard: readonly Certificate[] = []
  return {
    hear: (certificates) => {
      heard = certificates
    },
    taken: () => {
      const fields = heard.map(fieldsOf)
      heard = []
      return fields
    },
  }
}

/** What can be compared with a scenario's own words: no id, digest or time. */
const fieldsOf = ({ intentClasses, resourceBounds, payloadPins, reviewMode }: Certificate): CertificateFields => ({
  classes: [...intentClasses.allowed],
  denied: [...intentClasses.denied],
  records: Object.fromEntries(Object.entries(resourceBounds.records).map(([type, ids]) => [type, [...ids]])),
  source: payloadPins.source,
  payee: payloadPins.payee,
  amount: payloadPins.amount === null ? null : formatMinor(payloadPins.amount.minor),
  currency: payloadPins.amount?.currency ?? null,
  review: reviewMode,
})

/** Looks at one run from outside: what tools gave back, what the reply said, and what a person was asked. */
export interface Watcher {
  readonly around: (gate: Gate) => Gate
  readonly approver: Approver
  readonly prompts: readonly Prompt[]
  replied(texts: readonly string[]): void
  seen(): readonly Sighting[]
  manifest(): Manifest
  issued(): readonly (readonly CertificateFields[])[]
}

/**
 * Watches one run of a scenario; the person of its script is asked through `approver`.
 * @param login who is signed in.
 * @param log hears the certificates of the run.
 * @param others further customers, whose login a turn may hand its message over with.
 */
export function watcher(
  { turns, leaks, completes, approver }: Scenario,
  login: Login,
  others: ReadonlyMap<string, Login>,
  log: IssuedLog,
): Watcher {
  const finders = [...new Set([...leaks, ...(completes?.shows ?? [])])].map((value) => ({ value, says: finder(value) }))
  const seen = { result: new Set<string>(), reply: new Set<string>() }
  const look = (text: string, where: Sighting['in']): void => {
    for (const { value, says } of finders) if (says(text)) seen[where].add(value)
  }
  const prompts: Prompt[] = []
  const shown: (readonly string[])[] = []
  const issued: (readonly CertificateFields[])[] = []
  let offered: Pick<Manifest, 'tools' | 'risky'> = { tools: 0, risky: [] }
  return {
    prompts,
    around: (gate) => ({
      ...gate,
      beginTurn: (session, turn, message) => {
        const tools = gate.tools(login)
        const risky = tools.filter(({ effect }) => effect.tier === 'high').map(({ name }) => name)
        offered = { tools: tools.length, risky }
        const mixedUp = others.get(turns[turn - 1]?.by ?? '')
        const given = message === undefined || mixedUp === undefined ? message : { ...message, login: mixedUp }
        const start = gate.beginTurn(session, turn, given)
        shown.push(start.visible)
        issued.push(log.taken())
        return start
      },
      run: async (call: ToolCall): Promise<RunResult> => {
        const result = await gate.run(call)
        look(JSON.stringify(result), 'result')
        return result
      },
    }),
    approver: personOf(approver, prompts),
    replied: (texts) => {
      for (const text of texts) look(text, 'reply')
    },
    manifest: () => ({ ...offered, shown }),
    issued: () => issued,
    seen: () =>
      (['result', 'reply'] as const).flatMap((where) =>
        finders.flatMap(({ value }) => (seen[where].has(value) ? [{ value, in: where }] : [])),
      ),
  }
}

/** Says yes to the calls of the script and no to everything else; what they were asked is noted. */
const personOf = (approves: Scenario['approver'], prompts: Prompt[]): Approver => ({
  ask: ({ tool, args, digest }) => {
    const approved = approves.some((each) => isCall({ tool, args }, each))
    prompts.push({ tool, args, approved })
    return Promise.resolve({ digest, approved })
  },
})
