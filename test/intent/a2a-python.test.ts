import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pass } from '../../src/core/verdict.ts'
import { agentSource } from '../../src/intent/a2a.ts'
import { createWorld } from '../../src/world.io.ts'
import { bobsBalance, patient, viewBobs } from './fixtures.ts'
import { installPackages, type PythonAgent, startPythonAgent } from './python-agent.ts'

const packages = await installPackages().catch((cause: unknown) => {
  if (process.env['CI'] !== undefined) throw cause
  const why = cause instanceof Error ? (cause.message.trim().split('\n').at(-1) ?? '') : 'unknown failure'
  console.warn(`left out: the Python A2A agent could not be installed (${why})`)
  return undefined
})

describe.skipIf(packages === undefined)('an agent made with the A2A SDK for Python', () => {
  const world = createWorld()
  let agent: PythonAgent
  beforeAll(async () => {
    agent = await startPythonAgent(packages!)
  }, 60_000)
  afterAll(async () => {
    await world.close()
    await agent.close()
  })
  /** The sentence says how the agent behaves. */
  const ask = (sentence: string) =>
    agentSource({ url: agent.url, timeoutMs: 10_000, world }).extract({ ...bobsBalance(), sentence }, patient())

  it.each(['text', 'data', 'array', 'remark-and-text', 'message-text', 'message-data'])(
    'is understood when it answers by %s',
    async (behavior) => {
      expect(await ask(behavior)).toEqual(pass([viewBobs]))
    },
  )

  it('binds the subject to the metadata that the gate sent', async () => {
    const source = agentSource({ url: agent.url, timeoutMs: 10_000, world })
    const question = { ...bobsBalance({ type: 'Robot', id: 'r2' }), sentence: 'data' }
    expect(await source.extract(question, patient())).toEqual(
      pass([{ ...viewBobs, subject: { type: 'Robot', id: 'r2' } }]),
    )
  })

  it.each([
    { behavior: 'rejects', code: 'intent.refused' },
    { behavior: 'asks-back', code: 'intent.refused' },
    { behavior: 'explains', code: 'intent.refused' },
    { behavior: 'obliges', code: 'intent.obligation_unknown' },
    { behavior: 'wants-sign-in', code: 'intent.unauthenticated' },
    { behavior: 'unauthorized', code: 'intent.unauthenticated' },
    { behavior: 'fails', code: 'intent.agent_failed' },
    { behavior: 'is-canceled', code: 'intent.agent_failed' },
    { behavior: 'stops-at-work', code: 'intent.agent_failed' },
    { behavior: 'only-starts', code: 'intent.agent_failed' },
    { behavior: 'throws-first', code: 'intent.agent_failed' },
    { behavior: 'throws-later', code: 'intent.agent_failed' },
    { behavior: 'completes-empty', code: 'intent.answer_invalid' },
    { behavior: 'talks', code: 'intent.answer_invalid' },
    { behavior: 'twice', code: 'intent.answer_invalid' },
    { behavior: 'bytes', code: 'intent.answer_invalid' },
    { behavior: 'number-as-id', code: 'intent.answer_invalid' },
  ])('that $behavior gives $code', async ({ behavior, code }) => {
    const verdict = await ask(behavior)
    expect(verdict).toMatchObject({ ok: false, reason: code })
    expect(JSON.stringify(verdict)).not.toContain('the phone of alice')
  })

  it('is asked with the version header that it demands', async () => {
    const headerless = {
      ...world,
      send: (url: URL, request: Parameters<typeof world.send>[1]) => {
        const { 'a2a-version': dropped, ...headers } = request.headers
        expect(dropped).toBe('1.0')
        return world.send(url, { ...request, headers })
      },
    }
    const source = agentSource({ url: agent.url, timeoutMs: 10_000, world: headerless })
    expect(await source.extract({ ...bobsBalance(), sentence: 'data' }, patient())).toMatchObject({
      reason: 'intent.version_unsupported',
      detail: 'JSON-RPC error -32009',
    })
  })
})
