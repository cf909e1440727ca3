import { describe, expect, it } from 'vitest'
import { CALL_KINDS } from '../../src/core/call.ts'
import { patchFiles } from '../../src/firewall/patch-files.ts'
import { requestOf } from '../../src/firewall/read-request.ts'
import type { ActionRequest, HostCall } from '../../src/firewall/request.ts'

const call = (kind: HostCall['kind'], tool: string, args: unknown, cwd?: string): HostCall => ({
  kind,
  tool,
  args,
  cwd,
})
const patch = (...headers: readonly string[]): string => ['*** Begin Patch', ...headers, '*** End Patch'].join('\n')

describe('a call of a host', () => {
  it.each<[string, HostCall, Partial<ActionRequest>]>([
    [
      'a command line',
      call('shell', 'bash', { command: 'ls', mode: 'sync' }, '/w'),
      { tool: 'shell.run', command: { line: 'ls' }, cwd: '/w' },
    ],
    ['words', call('exec', '', { argv: ['ls', '-l'] }), { tool: 'shell.run', command: { argv: ['ls', '-l'] } }],
    [
      'a look at a file',
      call('read', 'view', { path: 'a', view_range: [1, 2] }),
      { tool: 'fs.read', paths: ['a'], reach: 'names' },
    ],
    [
      'a native read, which may be a search',
      call('read', 'read', { path: 'a' }),
      { tool: 'fs.read', paths: ['a'], reach: 'tree' },
    ],
    ['a search with one path', call('read', 'grep', { pattern: 'x', paths: 'a' }), { paths: ['a'], reach: 'search' }],
    [
      'a search with paths',
      call('read', 'rg', { pattern: 'x', paths: ['a', 'b'] }),
      { paths: ['a', 'b'], reach: 'tree' },
    ],
    ['a search without a path', call('read', 'grep', { pattern: 'x' }), { paths: ['.'], reach: 'search' }],
    ['names by a pattern', call('read', 'glob', { pattern: 'src/**/*.ts' }), { paths: ['.', 'src/'], reach: 'names' }],
    ['a new file', call('write', 'create', { path: 'a', file_text: 'x' }), { tool: 'fs.write', paths: ['a'] }],
    ['an edit', call('write', 'edit', { path: 'a', old_str: 'x', new_str: 'y' }), { tool: 'fs.write', paths: ['a'] }],
    [
      'two names for the file of an edit',
      call('write', 'edit', { path: 'a', file_path: '.env' }),
      { paths: ['a', '.env'] },
    ],
    [
      'the files of single edits',
      call('write', 'multi_edit', { path: 'a', edits: [{ old_str: 'x', new_str: 'y', file_path: '.env' }] }),
      { paths: ['a', '.env'] },
    ],
    ['an address and its range', call('url', 'web_fetch', { url: 'x', max_length: 9, raw: true }), { hasBody: false }],
    ['a look at a large file', call('read', 'view', { path: 'a', forceReadLargeFiles: true }), { paths: ['a'] }],
    [
      'a look with the editor',
      call('write', 'str_replace_editor', { command: 'view', path: 'a' }),
      { tool: 'fs.read' },
    ],
    [
      'anything else with the editor',
      call('write', 'str_replace_editor', { command: 'x', path: 'a' }),
      { tool: 'fs.write' },
    ],
    [
      'a patch',
      call('write', 'apply_patch', patch('*** Update File: a', '*** Move to: b')),
      { tool: 'fs.write', paths: ['a', 'b'] },
    ],
    ['a patch in an object', call('write', 'apply_patch', { input: patch('*** Add File: a') }), { paths: ['a'] }],
    [
      'a patch for elsewhere',
      call('write', 'apply_patch', patch('*** Environment ID: x', '*** Add File: a')),
      { tool: 'unsupported' },
    ],
    [
      'an address',
      call('url', 'web_fetch', { url: 'https://a.test' }),
      { tool: 'net.request', method: 'GET', hasBody: false },
    ],
    [
      'an address and a body',
      call('url', 'web_fetch', { url: 'x', method: 'POST', body: 'b' }),
      { method: 'POST', hasBody: true },
    ],
    [
      'a tool of a server',
      call('mcp', 'demo-echo', { server: 'demo', tool: 'echo', args: { a: 1 } }),
      { tool: 'mcp.call', server: 'demo', name: 'echo' },
    ],
    [
      'such a tool by its joined name',
      call('unknown', 'demo-echo', { a: 1 }),
      { tool: 'mcp.call', server: undefined, name: 'demo-echo' },
    ],
    [
      'such a tool by its marked name',
      call('unknown', 'mcp__demo__echo', {}),
      { tool: 'mcp.call', name: 'mcp__demo__echo' },
    ],
    [
      'a resource',
      call('mcp-resource', '', { server: 'demo', uri: 'file:///x' }),
      { tool: 'mcp.resource', uri: 'file:///x' },
    ],
    ['an operation', call('api-call', '', { audience: 'a', operation: 'b', arguments: {} }), { tool: 'api.call' }],
  ])('is read: %s', (_title, given, request) => {
    expect(requestOf(given)).toMatchObject(request)
  })

  it.each<[string, HostCall]>([
    ['no command', call('shell', 'bash', {})],
    ['an empty command', call('shell', 'bash', { command: '' })],
    ['a list for a command', call('shell', 'bash', { command: ['ls'] })],
    ['a folder that the tool does not have', call('shell', 'bash', { command: 'ls', cwd: '/' })],
    ['an environment', call('shell', 'bash', { command: 'ls', env: { LD_PRELOAD: 'x' } })],
    ['no words', call('exec', '', { argv: [] })],
    ['a number for a word', call('exec', '', { argv: ['ls', 1] })],
    ['no path', call('read', 'view', {})],
    ['a number for a path', call('read', 'view', { path: 7 })],
    ['null', call('write', 'create', null)],
    ['a pattern that is an option (SH-37)', call('read', 'grep', { pattern: '--pre=./payload.sh' })],
    ['a pattern that leads upwards', call('read', 'glob', { pattern: '../*' })],
    ['a pattern that leads upwards later', call('read', 'glob', { pattern: 'a/{b,..}/*' })],
    ['a patch without a file', call('write', 'apply_patch', 'rm -rf /')],
    ['no address', call('url', 'web_fetch', {})],
    ['text for the arguments of a tool', call('mcp', 'x', { server: 'demo', tool: 'echo', args: 'x' })],
    ['a number for a server', call('mcp-resource', '', { server: 1, uri: 'x' })],
    [
      'a list for the arguments of an operation',
      call('api-call', '', { audience: 'a', operation: 'b', arguments: [] }),
    ],
    ['no operation', call('api-call', '', { audience: 'a' })],
    ['headers for an address', call('url', 'web_fetch', { url: 'https://a.test', headers: { 'x-key': 'k' } })],
    ['data for an address', call('url', 'web_fetch', { url: 'https://a.test', data: 'x' })],
    ['a proxy for an address', call('url', 'web_fetch', { url: 'https://a.test', proxy: 'http://b.test' })],
  ])('is malformed: %s', (_title, given) => {
    expect(requestOf(given).tool).toBe('malformed')
  })

  it.each([
    call('custom-tool', 'transfer_money', {}),
    call('shell', 'write_bash', { input: 'rm' }),
    call('shell', 'powershell', { command: 'ls' }),
    call('read', 'lsp', { path: 'a' }),
    call('url', 'web_search', { query: 'x' }),
    call('memory', 'store_memory', {}),
    call('unknown', 'task', {}),
    call('unknown', '', {}),
  ])('is unknown: $kind $tool', (given) => {
    expect(requestOf(given)).toEqual({ tool: 'unknown' })
  })

  it.each(CALL_KINDS)('never throws on %s, whatever the arguments', (kind) => {
    for (const args of [undefined, null, 1, 'x', [], {}, { path: null }]) {
      for (const tool of ['', 'view', 'bash', 'apply_patch', 'a-b']) {
        expect(requestOf({ kind, tool, args })).toHaveProperty('tool')
      }
    }
  })
})

it('reads the headers of a patch as written and trimmed, at line feeds only (weakness 38)', () => {
  const headers = [
    '*** Add File: a',
    '*** Delete File: b',
    '*** Update File: c\r',
    '*** Move to: d.txt ',
    '*** Add File: e\u2028/f',
  ]
  expect(patchFiles(patch(...headers))).toEqual({
    kind: 'files',
    paths: ['a', 'b', 'c', 'd.txt ', 'd.txt', 'e\u2028/f'],
  })
})

it.each([
  { what: 'a look', given: call('read', 'view', { path: 'README.md', filename: '.env' }) },
  { what: 'a write', given: call('write', 'create', { path: 'a', file_text: 'x', target: '.env' }) },
  { what: 'a search', given: call('read', 'grep', { pattern: 'x', paths: 'a', root: ['.env'] }) },
  { what: 'a list', given: call('read', 'glob', { pattern: 'x', folder: '.env' }) },
  { what: 'a single edit', given: call('write', 'multi_edit', { path: 'a', edits: [{ file: '.env' }] }) },
])('hands on what stands under an unknown name of $what, because it could be another file', ({ given }) => {
  expect(requestOf(given)).toMatchObject({ strange: ['.env'] })
})

it('knows the arguments of the tools of a host', () => {
  const known = [
    call('read', 'view', { path: 'a', view_range: [1, 2], forceReadLargeFiles: true }),
    call('read', 'rg', { pattern: 'x', paths: 'a', glob: '*.ts', output_mode: 'content', '-n': true, head_limit: 9 }),
    call('write', 'edit', { path: 'a', newFileContents: 'x', diff: 'y' }),
    call('write', 'str_replace_editor', { command: 'insert', path: 'a', insert_line: 1, new_str: 'x' }),
  ]
  for (const each of known) expect(requestOf(each)).not.toHaveProperty('strange')
})

it.each([
  { what: 'a blank in front', header: ' *** Update File: .env' },
  { what: 'blanks of another kind in front', header: '\u00a0\u3000\x1c*** Update File: .env' },
  { what: 'a tab behind the colon', header: '*** Delete File:\t.env' },
  { what: 'two blanks inside', header: '***  Add  File : .env' },
  { what: 'small letters', header: '*** move to: .env' },
])('reads the header of a patch with $what, as a reader does that trims', ({ header }) => {
  const files = patchFiles(patch('*** Add File: ok.txt', header))
  expect(files).toMatchObject({ kind: 'files', paths: expect.arrayContaining(['ok.txt', '.env']) as unknown })
})

it('sees another environment behind a blank', () => {
  expect(patchFiles(patch('*** Add File: a', '  *** Environment ID: x')).kind).toBe('unsupported')
})

it('takes stars in the text of a patch for text', () => {
  expect(patchFiles(patch('*** Update File: a.md', ' ***', '+*** bold ***', '+*** Update: x'))).toEqual({
    kind: 'files',
    paths: ['a.md'],
  })
})
