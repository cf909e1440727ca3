import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostile, type HostileServer } from '../hostile-server.ts'
import { BIN, newPlace, run, start } from './bin.ts'

const place = newPlace()
let silent: HostileServer
beforeAll(async () => {
  silent = await hostile(() => undefined)
})
afterAll(async () => {
  await silent.close()
  place.remove()
})

const SUMMARIZE = 'Summarise my latest invoice'
const OWN_TRANSFER = 'move 1 from my savings to my checking'
const TO_CAROL = {
  name: 'transfer_money',
  arguments: { from_account: 'acc-alice-savings', to_account: 'acc-carol-checking', amount: '500.00', currency: 'NOK' },
}
const BALANCE = { name: 'get_account_balance', arguments: { account_id: 'acc-alice-savings' } }

/** A model that makes these calls in each of its turns, and then says that it is done. */
function scripted(name: string, turns: readonly (readonly object[])[]): readonly string[] {
  const file = place.file(`${name}.json`)
  const steps = turns.flatMap((calls, at) => [{ calls }, { text: `Done ${at}.` }])
  writeFileSync(file, JSON.stringify({ script: 1, steps }))
  return ['--model', 'scripted', '--script', file]
}

const transfersIn = (ledger: string): number => {
  if (!existsSync(ledger)) return 0
  return (JSON.parse(readFileSync(ledger, 'utf8')) as { transfers: unknown[] }).transfers.length
}

interface Transcript {
  readonly certificates: string
  readonly turns: readonly { readonly calls: readonly Readonly<Record<string, unknown>>[] }[]
}

describe('chat with an agent that pays what nobody asked for', () => {
  it.each([
    {
      mode: 'enforce',
      executed: false,
      code: 'agent.intent_tool_mismatch',
      certificate: { mode: 'enforce', failedCheck: 'K2', state: 'active', provenance: { to_account: 'model' } },
    },
    {
      mode: 'shadow',
      executed: true,
      code: null,
      certificate: { mode: 'shadow', failedCheck: 'K2', wouldDeny: 'agent.intent_tool_mismatch' },
    },
    { mode: 'off', executed: true, code: null, certificate: undefined },
  ])(
    'with --certificates $mode runs it: $executed',
    async ({ mode, executed, code, certificate }) => {
      const ledger = place.file(`ledger-${mode}.json`)
      const options = ['--certificates', mode, '--ledger', ledger, ...scripted(mode, [[TO_CAROL]])]
      const ended = await run(['chat', '--as', 'alice', '--json', ...options, SUMMARIZE], { place })
      expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining('warning')])
      const transcript = JSON.parse(ended.stdout) as Transcript
      expect(transcript.certificates).toBe(mode)
      const [call] = transcript.turns[0]!.calls
      expect(call).toMatchObject({ tool: 'transfer_money', executed, decision: { code } })
      if (certificate === undefined) expect(call).not.toHaveProperty('certificate')
      else expect(call).toMatchObject({ certificate })
      expect(transfersIn(ledger)).toBe(executed ? 1 : 0)
    },
    30_000,
  )
})

describe('a transfer that the user asked for', () => {
  it('is not made where nobody can be asked', async () => {
    const ledger = place.file('nobody.json')
    const args = ['chat', '--as', 'alice', '--json', '--ledger', ledger, OWN_TRANSFER]
    const { code, stdout } = await run(args, { place })
    expect(code).toBe(0)
    const [call] = (JSON.parse(stdout) as Transcript).turns[0]!.calls
    expect(call).toMatchObject({ executed: false, decision: { code: 'approval.nobody' } })
    expect(call?.['certificate']).toMatchObject({ state: 'active', classes: ['move_money'] })
    expect(transfersIn(ledger)).toBe(0)
  }, 30_000)

  // util-linux has `script -e`; the BSD one has not.
  it.skipIf(process.platform !== 'linux').each([
    { keys: 'y\r', code: null, transfers: 1, opinion: { room: 'approval', kind: 'permit', code: null } },
    { keys: 'not today\r', code: 'approval.refused', transfers: 0, opinion: { code: 'approval.refused' } },
  ])(
    'is made $transfers times by $keys at the terminal',
    async ({ keys, code, transfers, opinion }) => {
      const [ledger, audit] = [place.file(`tty-${transfers}.json`), place.file(`tty-${transfers}.jsonl`)]
      const files = `--ledger ${ledger} --audit ${audit}`
      const command = `"${process.execPath}" "${BIN}" chat --as alice ${files} "${OWN_TRANSFER}"`
      const child = spawn('script', ['-qefc', `stty cols 80; ${command}`, '/dev/null'], {
        cwd: place.folder,
        env: { ...place.env, TERM: 'dumb', NO_COLOR: '1' },
      })
      // A program that has ended reads no more of its input.
      child.stdin.on('error', () => undefined)
      let [seen, isAnswered] = ['', false]
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        seen += text
        if (isAnswered || !seen.includes('d details] ')) return
        isAnswered = true
        child.stdin.write(keys)
      })
      expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
      expect(seen).toContain('acc-alice-savings')
      expect(transfersIn(ledger)).toBe(transfers)
      const records = readFileSync(audit, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      const decided = records.find(({ type }) => type === 'decision')
      expect(decided).toMatchObject({ code, certificate: { classes: ['move_money'] } })
      expect(decided?.['opinions']).toContainEqual(expect.objectContaining(opinion))
    },
    40_000,
  )
})

describe('/stop', () => {
  const chat = ['chat', '--as', 'alice']

  it.each([
    { what: 'lets what could be read be read on', stop: false, says: ', and it ran' },
    {
      what: 'takes back what the messages before it allowed',
      stop: true,
      says: 'certificates clarify agent.intent_low_confidence',
    },
  ])(
    'given: $stop, $what',
    async ({ stop, says }) => {
      const chatting = start([...chat, ...scripted(`stop-${String(stop)}`, [[BALANCE], [BALANCE]])], { place })
      await chatting.says('audit ')
      // What `/why` prints says that the turn before it is over.
      chatting.child.stdin.write('show my savings\n/why\n')
      await chatting.says(', and it ran')
      if (stop) {
        chatting.child.stdin.write('/stop\n')
        await chatting.says('nothing that you asked for so far is allowed any more')
      }
      const before = chatting.stdout().length
      chatting.child.stdin.write('thanks\n/why\n')
      await expect.poll(() => chatting.stdout().slice(before), { timeout: 15_000 }).toMatch(/^so /m)
      expect(chatting.stdout().slice(before)).toContain(says)
      chatting.child.stdin.end()
      expect((await chatting.ended).code).toBe(0)
    },
    40_000,
  )

  it('does not wait for the turn that it stops', async () => {
    const chatting = start(chat, { place, env: { INTENT_AGENT_URL: silent.url.href } })
    await chatting.says('audit ')
    chatting.child.stdin.write('show my savings\n')
    await expect.poll(() => silent.requests.length, { timeout: 20_000 }).toBeGreaterThan(0)
    const pressedMs = performance.now()
    chatting.child.stdin.write('/stop\n')
    await chatting.says('nothing that you asked for so far is allowed any more')
    expect(performance.now() - pressedMs).toBeLessThan(3_000)
    expect(chatting.stdout()).toContain('gate.turn_over')
    chatting.child.stdin.end()
    expect((await chatting.ended).code).toBe(0)
  }, 40_000)
})
