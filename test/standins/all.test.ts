import { describe, expect, it } from 'vitest'
import { BANKS } from '../../src/canbank/banks.ts'
import { startBankStandins } from '../../standins/all.ts'
import { serve } from '../../standins/serve.ts'
import { a2a, get, post, sendMessage, started } from './support.ts'

const bank = BANKS.canbank
const blocker = () => started(serve({ name: 'blocker', tenant: 'canbank' }, () => ({})))

/** Ports that were free a moment ago. */
async function freePorts(): Promise<readonly [number, number, number, number]> {
  const servers = await Promise.all([blocker(), blocker(), blocker(), blocker()])
  await Promise.all(servers.map((server) => server.close()))
  const [first, second, third, fourth] = servers
  return [first.port, second.port, third.port, fourth.port]
}

describe('the stand-ins of a bank', () => {
  it('work together: a token from the issuer is good for the agent, and its answer for the PDP', async () => {
    const lines: string[] = []
    const standins = await started(startBankStandins({ bank, clientKey: 'key-1', log: (line) => lines.push(line) }))
    const login = await post(`${standins.issuerUrl}/token`, { customer: 'bob' })
    const authorization = `Bearer ${(login.body as { access_token: string }).access_token}`
    const answer = await post(standins.agentUrl, sendMessage('View Invoice inv-bob-1'), { ...a2a, authorization })
    expect(answer.body).toHaveProperty('result.task.artifacts[0].parts[0].data.evaluations[0].resource.id', 'inv-bob-1')
    const { evaluations } = (
      answer.body as { result: { task: { artifacts: [{ parts: [{ data: { evaluations: unknown[] } }] }] } } }
    ).result.task.artifacts[0].parts[0].data
    const decided = await post(
      `${standins.indykiteUrl}/access/v1/evaluations`,
      { evaluations },
      { 'x-ik-clientkey': 'key-1' },
    )
    expect(decided.body).toEqual({ evaluations: [{ decision: true }] })
    expect(
      (await post(standins.introspectUrl, 'token=a', { 'content-type': 'application/x-www-form-urlencoded' })).body,
    ).toMatchObject({ active: true })
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain(authorization.slice(7))
  })

  it('of two banks run side by side and answer for their own bank', async () => {
    const [canbank, fjordbank] = await Promise.all(
      [BANKS.canbank, BANKS.fjordbank].map((each) => started(startBankStandins({ bank: each }))),
    )
    const question = {
      subject: { type: 'Customer', id: 'alice' },
      action: { name: 'VIEW_ACCOUNT_BALANCE' },
      resource: { type: 'Account', id: 'acc-alice-savings' },
    }
    expect((await post(`${canbank!.indykiteUrl}/access/v1/evaluation`, question)).body).toEqual({ decision: true })
    expect((await post(`${fjordbank!.indykiteUrl}/access/v1/evaluation`, question)).body).toEqual({ decision: false })
  })

  it('take the ports that they are given', async () => {
    const [indykite, introspect, agent, agentHealth] = await freePorts()
    const ports = { indykite, introspect, agent, agentHealth }
    const chosen = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, { port }]))
    const standins = await started(startBankStandins({ bank, ports: chosen }))
    expect(standins.indykiteUrl).toBe(`http://127.0.0.1:${indykite}`)
    expect(standins.introspectUrl).toBe(`http://127.0.0.1:${introspect}/introspect`)
    expect(standins.agentUrl).toBe(`http://127.0.0.1:${agent}`)
    expect((await get(`http://127.0.0.1:${agentHealth}/health`)).status).toBe(200)
  })

  it.each(['indykite', 'introspect', 'issuer', 'agent', 'agentHealth'] as const)(
    'are all ended when the %s port is in use',
    async (which) => {
      const taken = await blocker()
      const [first, second] = await freePorts()
      const others = (['indykite', 'introspect', 'agent'] as const).filter((name) => name !== which).slice(0, 2)
      const ports = {
        [others[0]!]: { port: first },
        [others[1]!]: { port: second },
        [which]: { port: taken.port, setting: 'THAT_PORT' },
      }
      await expect(startBankStandins({ bank, ports })).rejects.toMatchObject({
        name: 'SettingError',
        what: 'THAT_PORT',
        problem: `port ${taken.port} is in use`,
      })
      for (const port of [first, second]) await started(serve({ name: 'next', tenant: 'canbank', port }, () => ({})))
    },
  )

  it('start in less than 60 ms once the code is warm', async () => {
    const times: number[] = []
    for (let run = 0; run < 6; run++) {
      const before = performance.now()
      const standins = await startBankStandins({ bank })
      times.push(performance.now() - before)
      await standins.close()
    }
    // The fastest: the machine may be busy with something else.
    expect(Math.min(...times)).toBeLessThan(60)
  })
})
