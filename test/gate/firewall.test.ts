import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ApprovalRequest, Approver } from '../../src/approval/approver.ts'
import { memoryLog, type MemoryLog } from '../../src/audit/memory-log.ts'
import type { DecisionRecord } from '../../src/audit/record.ts'
import type { CallKind, ToolCall } from '../../src/core/call.ts'
import { defineTool } from '../../src/core/define-tool.ts'
import { readEffect } from '../../src/core/effect.ts'
import { tenantId, toolCallId } from '../../src/core/ids.ts'
import type { PolicyInput } from '../../src/firewall/policy.ts'
import { openFirewall, type OpenFirewall } from '../../src/firewall/open-firewall.io.ts'
import { memoryTaints } from '../../src/firewall/taint.ts'
import { assembleGate } from '../../src/gate/create-gate.ts'
import type { Gate, Judgement } from '../../src/gate/gate.ts'
import { DEMO_POLICY, demoWorkspace, FAKE_KEY, type Workspace } from '../firewall/workspace.ts'
import { ISSUER, loginOf } from '../logins.ts'
import { testWorld } from '../worlds.ts'
import { SESSION } from './bank.ts'

const bob = await loginOf('bob')
const spaces: Workspace[] = []
const firewalls: OpenFirewall[] = []
afterAll(() => {
  for (const firewall of firewalls) firewall.close()
  for (const space of spaces) space.cleanup()
})

interface GatedSpace {
  readonly gate: Gate
  readonly log: MemoryLog
  readonly firewall: OpenFirewall
  readonly policyFile: string
  /** What our own tool was run with. */
  readonly ran: string[]
  readonly make: (kind: CallKind, tool: string, args: unknown) => ToolCall
}

/** The gate over a workspace with the real firewall and one tool of our own, in a turn that is open. */
function gatedSpace(
  changes: Partial<PolicyInput> = {},
  taints = memoryTaints(),
  text?: string,
  pin?: string,
): GatedSpace {
  const space = demoWorkspace()
  spaces.push(space)
  const policyFile = join(space.root, 'policy.json')
  writeFileSync(policyFile, text ?? JSON.stringify({ ...DEMO_POLICY, secret_files: ['.env'], ...changes }))
  const ran: string[] = []
  const view = defineTool({
    name: 'view',
    description: 'Shows a file.',
    parameters: z.object({ path: z.string() }),
    template: 'View {path}',
    resources: [],
    effect: readEffect('path'),
    run: ({ path }) => {
      ran.push(path)
      return 'text'
    },
  })
  const log = memoryLog()
  const firewall = openFirewall({ policyFile, taints, protect: [], pin })
  firewalls.push(firewall)
  const gate = assembleGate({
    world: testWorld(),
    tenants: new Map([[tenantId('canbank'), { issuer: ISSUER, tools: new Map([[view.name, view]]), firewall }]]),
    deadlineMs: 1_000,
    audit: log,
    report: () => undefined,
  })
  gate.beginTurn(SESSION, 1, { login: bob, text: 'help me' })
  let calls = 0
  const make = (kind: CallKind, tool: string, args: unknown): ToolCall => {
    calls += 1
    return { id: toolCallId(`c-${calls}`), session: SESSION, turn: 1, login: bob, kind, tool, args }
  }
  return { gate, log, firewall, policyFile, ran, make }
}

const reasonOf = ({ decision }: Judgement): string => (decision.kind === 'permit' ? 'permit' : decision.reason)
const lastLine = ({ log }: GatedSpace): DecisionRecord | undefined =>
  log.records.findLast((record) => record.type === 'decision')

function person(approved: boolean): Approver & { readonly cards: readonly ApprovalRequest[] } {
  const cards: ApprovalRequest[] = []
  return {
    cards,
    ask: (request) => {
      cards.push(request)
      return Promise.resolve({ digest: request.digest, approved })
    },
  }
}

const NOTES = { path: 'normal/notes.txt' }
const ASKED = { path: 'new.txt', file_text: 'x' }

describe('a workspace behind the gate', () => {
  it('shows every tool, whatever the message says: the policy alone decides', () => {
    const { gate } = gatedSpace()
    expect(gate.beginTurn(SESSION, 2, { login: bob, text: 'thanks' })).toEqual({ visible: ['view'] })
  })

  it('runs what the policy allows', async () => {
    const space = gatedSpace()
    const made = space.make('read', 'view', NOTES)
    expect(reasonOf(await space.gate.authorize(made))).toBe('permit')
    expect(await space.gate.run(made)).toMatchObject({ kind: 'done' })
    expect(space.ran).toEqual([NOTES.path])
  })

  it.each<[CallKind, string, unknown, string]>([
    ['read', 'view', { path: '.env' }, 'fs-protected'],
    ['read', 'view', { path: '/etc/passwd' }, 'fs-sandbox'],
    ['shell', 'bash', { command: 'rm -rf normal' }, 'sh-allowlist'],
    ['url', 'web_fetch', { url: 'https://example.com' }, 'net-deny-all'],
    ['mcp', 'delete', { server: 'demo', tool: 'delete', args: {} }, 'mcp-unknown-tool'],
    ['memory', 'store_memory', {}, 'unknown-tool'],
  ])('blocks %s %s %j as %s, and runs nothing', async (kind, tool, args, rule) => {
    const space = gatedSpace()
    const made = space.make(kind, tool, args)
    expect(reasonOf(await space.gate.authorize(made, person(true)))).toBe(rule)
    expect(await space.gate.run(made)).toMatchObject({ executed: false })
    expect(space.ran).toEqual([])
  })

  it.each([
    { approved: true, code: 'permit' },
    { approved: false, code: 'approval.refused' },
  ])('asks a person where the policy asks: a yes that is $approved ends in $code', async ({ approved, code }) => {
    const space = gatedSpace()
    const asked = person(approved)
    expect(reasonOf(await space.gate.authorize(space.make('write', 'create', ASKED), asked))).toBe(code)
    expect(asked.cards).toHaveLength(1)
    expect(asked.cards[0]).toMatchObject({
      tool: 'create',
      asks: 'fs-write-scope',
      changes: ['The policy asks about it; what else it changes is not bounded.'],
    })
    expect(asked.cards[0]?.values.every(({ origin }) => origin === 'model')).toBe(true)
  })

  it('denies what must be asked where nobody can be asked', async () => {
    const space = gatedSpace()
    expect(reasonOf(await space.gate.authorize(space.make('write', 'create', ASKED)))).toBe('gate.obligation_unmet')
  })

  it('asks no person about what carries a secret', async () => {
    const space = gatedSpace()
    const asked = person(true)
    const made = space.make('write', 'create', { path: 'new.txt', file_text: `key ${FAKE_KEY}` })
    expect(reasonOf(await space.gate.authorize(made, asked))).toBe('secret-egress')
    expect(asked.cards).toEqual([])
    expect(JSON.stringify(space.log.records)).not.toContain(FAKE_KEY)
  })

  it('does not take the yes for one policy under another', async () => {
    const space = gatedSpace()
    const digest = (): string => {
      const state = space.firewall.state()
      return state.ok ? state.sha256 : ''
    }
    const before = digest()
    const changing: Approver = {
      ask: async (request) => {
        writeFileSync(space.policyFile, JSON.stringify({ ...DEMO_POLICY, protected_names: ['x'] }))
        await expect.poll(digest).not.toBe(before)
        return { digest: request.digest, approved: true }
      },
    }
    const made = space.make('write', 'create', ASKED)
    expect(reasonOf(await space.gate.authorize(made, changing))).toBe('approval.stale')
  })
})

describe('a tool of our own in a workspace', () => {
  it.each([
    { what: 'an argument too many', args: { path: NOTES.path, also: FAKE_KEY }, code: 'secret-egress' },
    { what: 'a path of another type', args: { path: [FAKE_KEY] }, code: 'secret-egress' },
    { what: 'a protected path and an argument too many', args: { path: '.env', also: 'x' }, code: 'fs-protected' },
    { what: 'an argument too many and nothing else', args: { ...NOTES, also: 'x' }, code: 'parse-error' },
  ])('is looked at with $what, and never runs', async ({ args, code }) => {
    const space = gatedSpace()
    const made = space.make('read', 'view', args)
    const judgement = await space.gate.authorize(made)
    expect(reasonOf(judgement)).toBe(code)
    expect(judgement.opinions.map(({ room }) => room)).toContain('firewall')
    expect(judgement.screened).toBeDefined()
    expect(await space.gate.run(made)).toMatchObject({ executed: false })
    expect(JSON.stringify(space.log.records)).not.toContain(FAKE_KEY)
  })

  it('runs only with the arguments that were looked at', async () => {
    const space = gatedSpace()
    const made = space.make('read', 'view', NOTES)
    await space.gate.authorize(made)
    const other = { ...made, args: { path: 'normal/other.txt' } }
    expect(await space.gate.run(other)).toMatchObject({ executed: false, code: 'permit.arguments_changed' })
  })
})

describe('the audit line of a workspace', () => {
  it('has the rules that fired, the taint and the digest of the policy, and no certificate', async () => {
    const space = gatedSpace()
    await space.gate.authorize(space.make('read', 'view', { path: '.env' }))
    const policySha256 = hash('sha256', readFileSync(space.policyFile), 'hex')
    const line = lastLine(space)
    expect(line).toMatchObject({ decision: 'deny', code: 'fs-protected', cause: 'decision' })
    expect(line?.firewall).toEqual({ rules: ['fs-protected'], tainted: true, policySha256 })
    expect([line?.certificate, line?.sentence, line?.evaluations]).toEqual([undefined, undefined, undefined])
  })

  it('withholds what the model named a call that carries a secret', async () => {
    const space = gatedSpace()
    const made = { ...space.make('read', 'view', { path: FAKE_KEY }), id: toolCallId(FAKE_KEY) }
    await space.gate.authorize(made)
    expect(lastLine(space)).toMatchObject({ code: 'secret-egress', toolCallId: '', tool: '' })
    expect(JSON.stringify(space.log.records)).not.toContain(FAKE_KEY)
  })

  it('tells the taint from the call on that taints, and what it takes away', async () => {
    const open = { network: { mode: 'allowlist', allow: ['https://docs.example.com'] } } satisfies Partial<PolicyInput>
    const space = gatedSpace(open)
    const fetch = () => space.make('url', 'web_fetch', { url: 'https://docs.example.com/a' })
    expect(reasonOf(await space.gate.authorize(fetch()))).toBe('permit')
    expect(lastLine(space)?.firewall?.tainted).toBe(false)
    await space.gate.authorize(space.make('shell', 'bash', { command: 'cat .env' }))
    expect(lastLine(space)?.firewall?.tainted).toBe(true)
    expect(reasonOf(await space.gate.authorize(fetch()))).toBe('taint-session')
  })
})

describe('a firewall that cannot work', () => {
  it.each([
    { what: 'is no JSON', text: '{' },
    { what: 'lacks its sandbox', text: '{"a":1}' },
    { what: 'is not the pinned one', text: JSON.stringify(DEMO_POLICY), pin: '0'.repeat(64) },
  ])('denies everything with fail-closed while the policy $what', async ({ text, pin }) => {
    const space = gatedSpace({}, memoryTaints(), text, pin)
    const made = space.make('read', 'view', NOTES)
    expect(reasonOf(await space.gate.authorize(made, person(true)))).toBe('fail-closed')
    expect(await space.gate.run(made)).toMatchObject({ executed: false })
    expect(lastLine(space)).toMatchObject({ cause: 'fault', firewall: { rules: ['fail-closed'], policySha256: '' } })
  })

  it('works as soon as there is a policy, and keeps the last good one when that is lost', async () => {
    const space = gatedSpace({}, memoryTaints(), '{')
    const isGood = (): boolean => space.firewall.state().ok
    writeFileSync(space.policyFile, JSON.stringify(DEMO_POLICY))
    await expect.poll(isGood).toBe(true)
    expect(reasonOf(await space.gate.authorize(space.make('read', 'view', NOTES)))).toBe('permit')
    writeFileSync(space.policyFile, '{}')
    await expect.poll(() => space.firewall.state()).toMatchObject({ ok: true, stale: expect.any(String) as string })
    expect(reasonOf(await space.gate.authorize(space.make('read', 'view', { path: '.env' })))).toBe('fs-protected')
  })

  it('denies with fail-closed when the taint cannot be kept', async () => {
    const broken = (): never => {
      throw new Error('disk')
    }
    const space = gatedSpace({}, { ...memoryTaints(), reasons: broken })
    expect(reasonOf(await space.gate.authorize(space.make('read', 'view', NOTES)))).toBe('fail-closed')
  })
})
