import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { translate } from '../../adapters/hosts/translate.ts'
import { CALL_KINDS } from '../../src/core/call.ts'

const known = new Set(['get_balance', 'transfer'])
const id = { toolCallId: 'c1' }

describe('the native form', () => {
  it.each([
    {
      request: { kind: 'custom-tool', ...id, toolName: 'get_balance', toolDescription: 'd', args: { id: 'a1' } },
      call: { id: 'c1', kind: 'custom-tool', tool: 'get_balance', args: { id: 'a1' } },
    },
    {
      request: { kind: 'custom-tool', ...id, toolName: 'stranger', skipPermission: true },
      call: { id: 'c1', kind: 'custom-tool', tool: 'stranger', args: {} },
    },
    {
      request: {
        kind: 'shell',
        ...id,
        fullCommandText: 'ls > x',
        intention: 'list',
        commands: [{ identifier: 'ls', readOnly: true }],
        possiblePaths: [],
        possibleUrls: [],
        hasWriteFileRedirection: false,
        canOfferSessionApproval: false,
        resolvedWorkingDirectory: '/w',
      },
      call: { id: 'c1', kind: 'shell', tool: 'bash', args: { command: 'ls > x' }, cwd: '/w' },
    },
    {
      request: { kind: 'read', ...id, path: '/etc/hostname', intention: 'i', requestSandboxBypassReason: null },
      call: { id: 'c1', kind: 'read', tool: 'read', args: { path: '/etc/hostname' } },
    },
    {
      request: { kind: 'write', ...id, fileName: '/w/a', diff: '', intention: 'i', newFileContents: 'x' },
      call: { id: 'c1', kind: 'write', tool: 'edit', args: { path: '/w/a', newFileContents: 'x', diff: '' } },
    },
    {
      request: { kind: 'url', ...id, url: 'http://x/', intention: 'i' },
      call: { id: 'c1', kind: 'url', tool: 'web_fetch', args: { url: 'http://x/' } },
    },
    {
      request: {
        kind: 'mcp',
        ...id,
        serverName: 'bank',
        toolName: 'bank-transfer',
        toolTitle: 'T',
        args: { to: 'bob' },
        readOnly: true,
      },
      call: {
        id: 'c1',
        kind: 'mcp',
        tool: 'bank-transfer',
        args: { server: 'bank', tool: 'bank-transfer', args: { to: 'bob' } },
      },
    },
    {
      request: { kind: 'memory', ...id, fact: 'f', action: 'vote' },
      call: { id: 'c1', kind: 'memory', tool: 'vote_memory', args: { fact: 'f', action: 'vote' } },
    },
    {
      request: { kind: 'memory', toolCallId: 't2' },
      call: { id: 't2', kind: 'memory', tool: 'store_memory', args: {} },
    },
    {
      request: { kind: 'factory', ...id, name: 'f', operation: 'author' },
      call: { id: 'c1', kind: 'factory', tool: 'author_factory', args: { name: 'f', operation: 'author' } },
    },
    {
      request: { kind: 'extension-management', operation: 'reload' },
      call: { kind: 'extension-management', tool: '', args: { operation: 'reload' } },
    },
    {
      request: { kind: 'extension-permission-access', extensionName: 'e', capabilities: ['x'] },
      call: { kind: 'extension-permission-access', tool: '', args: { extensionName: 'e', capabilities: ['x'] } },
    },
    {
      request: { kind: 'extension-env-access', extensionName: 'e', environmentVariables: ['HOME'] },
      call: { kind: 'extension-env-access', tool: '', args: { extensionName: 'e', environmentVariables: ['HOME'] } },
    },
    {
      request: { kind: 'exec', ...id, argv: ['ls', 'src'], cwd: '/w' },
      call: { id: 'c1', kind: 'exec', tool: '', args: { argv: ['ls', 'src'] }, cwd: '/w' },
    },
    {
      request: { kind: 'mcp-resource', ...id, server: 'fs', uri: 'file:///w/a' },
      call: { id: 'c1', kind: 'mcp-resource', tool: '', args: { server: 'fs', uri: 'file:///w/a' } },
    },
    {
      request: { kind: 'api-call', ...id, audience: 'mail', operation: 'send', arguments: { to: 'bob' } },
      call: {
        id: 'c1',
        kind: 'api-call',
        tool: '',
        args: { audience: 'mail', operation: 'send', arguments: { to: 'bob' } },
      },
    },
  ])('$request.kind becomes one form', ({ request, call }) => {
    expect(translate(request, known)).toEqual({ ok: true, value: call })
  })

  it.each([
    { request: { ...id } },
    { request: { kind: 'permission-of-tomorrow', ...id } },
    { request: { kind: 'execute', ...id, argv: ['ls'] } },
    { request: { kind: 7, ...id } },
    { request: { kind: '__proto__', ...id } },
    { request: { kind: 'constructor', ...id } },
    { request: { kind: 'SHELL', ...id, fullCommandText: 'ls' } },
  ])('an unknown or missing kind is unknown: $request', ({ request }) => {
    expect(translate(request, known)).toEqual({
      ok: true,
      value: { id: 'c1', kind: 'unknown', tool: '', args: request },
    })
  })
})

describe('the hook form', () => {
  it.each([
    { toolName: 'get_balance', kind: 'custom-tool' },
    { toolName: 'bash', kind: 'shell' },
    { toolName: 'write_bash', kind: 'shell' },
    { toolName: 'list_powershell', kind: 'shell' },
    { toolName: 'view', kind: 'read' },
    { toolName: 'rg', kind: 'read' },
    { toolName: 'apply_patch', kind: 'write' },
    { toolName: 'web_fetch', kind: 'url' },
    { toolName: 'fetch_copilot_cli_documentation', kind: 'url' },
    { toolName: 'store_memory', kind: 'memory' },
    { toolName: 'task', kind: 'unknown' },
    { toolName: 'sql', kind: 'unknown' },
    { toolName: 'bank-transfer', kind: 'unknown' },
    { toolName: 'Bash', kind: 'unknown' },
    { toolName: 'bash ', kind: 'unknown' },
    { toolName: 'GET_BALANCE', kind: 'unknown' },
    { toolName: 'functions.get_balance', kind: 'unknown' },
    { toolName: '__proto__', kind: 'unknown' },
    { toolName: 'constructor', kind: 'unknown' },
  ])('"$toolName" is a call of kind $kind', ({ toolName, kind }) => {
    const request = { kind: 'hook', ...id, toolName, toolArgs: { a: 1 }, workingDirectory: '/w', hookMessage: 'r' }
    expect(translate(request, known)).toEqual({
      ok: true,
      value: { id: 'c1', kind, tool: toolName, args: { a: 1 }, cwd: '/w' },
    })
  })

  it('gives the same call as the native form', () => {
    const native = translate({ kind: 'custom-tool', ...id, toolName: 'transfer', args: { to: 'x' } }, known)
    expect(translate({ kind: 'hook', ...id, toolName: 'transfer', toolArgs: { to: 'x' } }, known)).toEqual(native)
  })

  it('may come with the other form of the same call', () => {
    const args = { to: 'bob' }
    const request = { ...id, toolName: 'transfer', args, toolArgs: { ...args }, cwd: '/w', workingDirectory: '/w' }
    for (const kind of ['hook', 'custom-tool']) {
      expect(translate({ ...request, kind }, known)).toEqual({
        ok: true,
        value: { id: 'c1', kind: 'custom-tool', tool: 'transfer', args, cwd: '/w' },
      })
    }
    expect(translate({ kind: 'hook', ...id, toolName: 'transfer', args: null, path: null }, known).ok).toBe(true)
  })

  it('is of unknown kind whatever its fields are, when nobody knows its kind', () => {
    const request = { kind: 'other', ...id, toolName: 'transfer', args: { to: 'bob' }, toolArgs: { to: 'carol' } }
    expect(translate(request, known)).toMatchObject({ ok: true, value: { kind: 'unknown', tool: '' } })
  })

  it('passes arguments that are text as they are, for the gate to refuse', () => {
    const translated = translate({ kind: 'hook', ...id, toolName: 'transfer', toolArgs: '{"to":"x"}' }, known)
    expect(translated).toMatchObject({ value: { args: '{"to":"x"}' } })
  })
})

describe('what is no request', () => {
  it.each([
    null,
    undefined,
    true,
    7,
    'shell',
    [],
    [{ kind: 'shell' }],
    { kind: 'hook', ...id },
    { kind: 'hook', ...id, toolName: 7 },
    { kind: 'hook', ...id, toolName: '' },
    { kind: 'custom-tool', ...id },
    { kind: 'shell', ...id },
    { kind: 'shell', ...id, fullCommandText: ['ls'] },
    { kind: 'read', ...id },
    { kind: 'write', ...id },
    { kind: 'url', ...id, url: null },
    { kind: 'mcp', ...id, serverName: 'bank' },
    { kind: 'memory', ...id, action: 'burn' },
    { kind: 'hook', toolCallId: 7, toolName: 'transfer' },
    { kind: 'hook', toolCallId: '', toolName: 'transfer' },
    { kind: 'hook', ...id, toolName: 'transfer', workingDirectory: ['/w'] },
    { kind: 'custom-tool', ...id, toolName: 'transfer', args: { to: 'bob' }, toolArgs: { to: 'carol' } },
    { kind: 'custom-tool', ...id, toolName: 'transfer', toolArgs: { to: 'carol' } },
    { kind: 'hook', ...id, toolName: 'transfer', args: { to: 'bob' }, toolArgs: { to: 'carol' } },
    { kind: 'hook', ...id, toolName: 'bash', toolArgs: { command: 'ls' }, fullCommandText: 'rm -r .' },
    { kind: 'hook', ...id, toolName: 'view', toolArgs: { path: 'a' }, path: 'b' },
    { kind: 'shell', ...id, fullCommandText: 'ls', toolArgs: { command: 'rm -r .' } },
    { kind: 'read', ...id, path: 'a', toolArgs: { path: 'b' } },
    { kind: 'read', ...id, path: 'a', workingDirectory: '/w', resolvedWorkingDirectory: '/v' },
  ])('%j is refused', (request) => {
    expect(translate(request, known)).toMatchObject({ ok: false, reason: 'request.invalid' })
  })
})

const anyRequest = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      kind: fc.oneof(fc.constantFrom('hook', 'mystery', ...CALL_KINDS), fc.jsonValue()),
      toolCallId: fc.oneof(fc.string(), fc.jsonValue()),
      toolName: fc.oneof(fc.constantFrom('get_balance', 'bash', '__proto__'), fc.jsonValue()),
      toolArgs: fc.jsonValue(),
      args: fc.jsonValue(),
      fullCommandText: fc.jsonValue(),
      path: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
)

describe('for any JSON', () => {
  test.prop([anyRequest])('there is an answer, and it is one of the known kinds', (request) => {
    const translated = translate(request, known)
    if (translated.ok) expect(CALL_KINDS).toContain(translated.value.kind)
    else expect(translated.reason).toBe('request.invalid')
  })

  test.prop([anyRequest, fc.string()])('a hook makes no custom tool of a name that is not one', (request, toolName) => {
    const hook = { toolName, ...(typeof request === 'object' && !Array.isArray(request) ? request : {}), kind: 'hook' }
    const translated = translate(hook, known)
    if (!translated.ok || translated.value.kind !== 'custom-tool') return
    expect(known).toContain(translated.value.tool)
  })
})
