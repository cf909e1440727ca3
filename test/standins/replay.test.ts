import { fileURLToPath } from 'node:url'
import { ClientFactory } from '@a2a-js/sdk/client'
import { describe, expect, it } from 'vitest'
import { BANKS } from '../../src/canbank/banks.ts'
import { toolCallId } from '../../src/core/ids.ts'
import { agentSource } from '../../src/intent/a2a.ts'
import { readRecording } from '../../src/intent/recording-file.io.ts'
import { recording, type RecordedAnswer } from '../../src/intent/recording.ts'
import { createWorld } from '../../src/world.io.ts'
import { startIndykite } from '../../standins/indykite.ts'
import { startIntentAgent } from '../../standins/intent-agent.ts'
import { startIntrospect } from '../../standins/introspect.ts'
import { knowledgeDigest, NOT_RECORDED, type ReplayOptions, startReplay } from '../../standins/replay.ts'
import { bankGate, call, transfer } from '../gate/bank.ts'
import { bobsBalance, patient, viewBobs } from '../intent/fixtures.ts'
import { loginNow } from '../logins.ts'
import { a2a, get, post, sendMessage, started } from './support.ts'

const world = createWorld()

/** IndyKite, introspection, and a recording that was just made of the real stand-in agent. */
async function recorded(): Promise<ReplayOptions> {
  const { url: indykiteUrl } = await started(startIndykite({ bank: BANKS.canbank }))
  const introspect = await started(startIntrospect({ tenant: 'canbank' }))
  const introspectUrl = `${introspect.url}/introspect`
  const agent = await started(startIntentAgent({ tenant: 'canbank', indykiteUrl, introspectUrl }))
  const answers: RecordedAnswer[] = []
  const source = recording(agentSource({ url: new URL(agent.url), timeoutMs: 5_000, world }), {
    agent: '1.0.0',
    knowledge: await knowledgeDigest({ indykiteUrl }),
    now: () => new Date('2026-06-01T12:00:00Z'),
    keep: (each) => answers.push(each),
  })
  expect(await source.extract(bobsBalance(), patient())).toEqual({ ok: true, value: [viewBobs] })
  await source.extract({ ...bobsBalance(), sentence: 'Open the vault' }, patient())
  expect(answers.map(({ answer }) => answer.kind)).toEqual(['extracted', 'refused'])
  return { tenant: 'canbank', recording: answers, file: 'r.jsonl', indykiteUrl, introspectUrl }
}

const asking = (url: string) => agentSource({ url: new URL(url), timeoutMs: 5_000, world })

describe('the replay stand-in', () => {
  it('repeats what was recorded, with the digest of the agent', async () => {
    const options = await recorded()
    const replay = await started(startReplay(options))
    const answer = await asking(replay.url).ask(bobsBalance(), patient())
    expect(answer).toEqual({ ok: true, value: { evaluations: [viewBobs], digest: options.recording[0]?.digest } })
    expect(replay.unknown()).toEqual([])
  })

  it('repeats a refusal as a refusal', async () => {
    const replay = await started(startReplay(await recorded()))
    const question = { ...bobsBalance(), sentence: 'Open the vault' }
    expect(await asking(replay.url).extract(question, patient())).toMatchObject({ ok: false, reason: 'intent.refused' })
  })

  it('speaks to a client of the SDK', async () => {
    const replay = await started(startReplay(await recorded()))
    const card = await get(`${replay.url}/.well-known/agent-card.json`)
    expect(card.body).toMatchObject({ name: 'intent-agent (replay)', version: '1.0.0+replay' })
    await expect(new ClientFactory().createFromUrl(replay.url)).resolves.toBeDefined()
  })

  it.each([
    { what: 'another sentence', question: { ...bobsBalance(), sentence: 'View Invoice inv-bob-1' } },
    { what: 'another subject', question: bobsBalance({ id: 'alice' }) },
    { what: 'another type of subject', question: bobsBalance({ type: 'Robot' }) },
  ])('gives its own error for $what, and says which question it was', async ({ question }) => {
    const replay = await started(startReplay(await recorded()))
    const agent = asking(replay.url)
    expect(await agent.extract(question, patient())).toMatchObject({
      ok: false,
      reason: 'intent.not_recorded',
      detail: `JSON-RPC error ${NOT_RECORDED}`,
    })
    await agent.extract(question, patient())
    const { type, id } = question.call.login.subject
    expect(replay.unknown()).toMatchObject([{ subject: { type, id }, sentence: question.sentence }])
  })

  it.each([
    { what: 'no caller', body: sendMessage('View Invoice inv-bob-1', {}) },
    { what: 'no JSON', body: '{' },
    { what: 'another method', body: { jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: 't' } } },
  ])('answers a request with $what with no evaluation', async ({ body }) => {
    const replay = await started(startReplay(await recorded()))
    const answer = await post(replay.url, body, a2a)
    expect(JSON.stringify(answer.body)).not.toContain('VIEW_')
  })

  it.each([{ headers: { 'a2a-version': '1.0' } }, { headers: { 'a2a-version': '1.0', authorization: 'Basic x' } }])(
    'answers nobody without a token',
    async ({ headers }) => {
      const replay = await started(startReplay(await recorded()))
      const { status } = await post(replay.url, sendMessage('View Invoice inv-bob-1'), headers)
      expect(status).toBe(401)
    },
  )

  it('refuses to start for a tenant that the recording does not have', async () => {
    const options = await recorded()
    await expect(startReplay({ ...options, tenant: 'fjordbank' })).rejects.toThrow('no answer for fjordbank')
  })

  it('refuses to start when schema or policies have changed, unless it is told to', async () => {
    const options = await recorded()
    const { url: indykiteUrl } = await started(startIndykite({ bank: { ...BANKS.canbank, accounts: [] } }))
    await expect(startReplay({ ...options, indykiteUrl })).rejects.toThrow(
      'recording r.jsonl: it was made on 2026-06-01 under another data schema or other policies',
    )
    const told = await started(startReplay({ ...options, indykiteUrl, evenIfOutdated: true }))
    expect(await asking(told.url).extract(bobsBalance(), patient())).toEqual({ ok: true, value: [viewBobs] })
  })

  it.each(Object.values(BANKS))('still fits the answers that are recorded for $tenant', async (bank) => {
    const file = fileURLToPath(new URL('../../scenarios/recorded/standin.jsonl', import.meta.url))
    const { url: indykiteUrl } = await started(startIndykite({ bank }))
    const introspect = await started(startIntrospect({ tenant: bank.tenant }))
    const introspectUrl = `${introspect.url}/introspect`
    const answers = readRecording(file)
    const of = { tenant: bank.tenant, recording: answers, file, indykiteUrl, introspectUrl }
    const replay = await started(startReplay(of))
    const own = answers.filter(({ tenant }) => tenant === bank.tenant)
    for (const { subject, sentence, answer } of own.slice(0, 5)) {
      const question = { ...bobsBalance({ id: subject.id, tenant: bank.tenant }), sentence }
      const evaluations = answer.kind === 'extracted' ? answer.evaluations : expect.fail('a refusal')
      expect(await asking(replay.url).extract(question, patient())).toEqual({ ok: true, value: evaluations })
    }
  })

  it('lets the gate permit what was recorded, and deny what was not', async () => {
    const replay = await started(startReplay(await recorded()))
    const { gate } = bankGate({ services: { intents: asking(replay.url) }, deadlineMs: 5_000, world: { ...world } })
    const bob = await loginNow('bob')
    const known = await gate.authorize(call(bob, 'get_account_balance', { account_id: 'acc-bob-checking' }))
    expect(known.decision.kind).toBe('permit')
    const unknown = await gate.authorize(transfer(bob, { id: toolCallId('c-2') }))
    expect(unknown.decision).toMatchObject({ kind: 'deny' })
    expect(replay.unknown().map(({ sentence }) => sentence)).toEqual([
      'Transfer 100.00 NOK from Account acc-bob-checking to Account acc-alice-checking',
    ])
  })
})
