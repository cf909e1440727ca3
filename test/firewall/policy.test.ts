import { format } from 'prettier'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { problemLine, readPolicy } from '../../src/firewall/policy-text.ts'
import { PolicySchema } from '../../src/firewall/policy.ts'
import { DEMO_POLICY } from './workspace.ts'

const MINIMAL = '{"sandbox_root": ".", "protected_paths": [], "writable_dirs": [], "shell_allowlist": []}'
const withKey = (text: string): string => MINIMAL.replace('{', `{\n  ${text},\n`)
function problems(text: string): readonly string[] {
  const reading = readPolicy(text)
  return reading.ok ? [] : reading.problems.map(problemLine)
}

describe('a policy text', () => {
  it('loads the demo policy with its defaults', () => {
    const reading = readPolicy(JSON.stringify(DEMO_POLICY))
    expect(reading).toMatchObject({
      ok: true,
      policy: {
        version: 1,
        network: { mode: 'deny_all', allow: [] },
        protected_names: [],
        secret_files: [],
        approval_timeout_sec: 30,
        audit: { verbose: false },
      },
    })
  })

  it.each([
    [
      'an unknown key (weakness 47)',
      withKey('"protected_namez": []'),
      'line 2, column 3: protected_namez: this key is not known; did you mean protected_names?',
    ],
    [
      'an unknown key inside',
      withKey('"network": {"mod": "deny_all"}'),
      'line 2, column 15: network.mod: this key is not known',
    ],
    [
      'a key that is there twice (weakness 29)',
      withKey('"version": 1,\n  "version": 1'),
      'line 3, column 3: the key "version" is there twice',
    ],
    [
      'a key that is there twice inside',
      withKey('"apis": {"a": {}, "a": {}}'),
      'line 2, column 21: the key "a" is there twice',
    ],
    ['a comma too many', withKey('"version": 1,'), 'line 2, column 16: a key in double quotes is expected'],
    ['a comment', `// x\n${MINIMAL}`, 'line 1, column 1: this is no JSON value'],
    ['NaN', withKey('"version": NaN'), 'line 2, column 14: this is no JSON value'],
    ['an end that comes too early', '{"sandbox_root": ', 'line 1, column 18: the text ends too early'],
    [
      'something behind the end',
      `${MINIMAL} {}`,
      `line 1, column ${MINIMAL.length + 2}: there is something behind the value`,
    ],
    ['an empty text', '', 'line 1, column 1: the text ends too early'],
    ['a byte-order mark', `\ufeff${MINIMAL}`, 'line 1, column 1: the text starts with a byte-order mark'],
    ['a prototype key', withKey('"apis": {"__proto__": {}}'), 'line 2, column 12: the key __proto__ is not allowed'],
    ['a missing key', '\n{"sandbox_root": "."}', 'line 2, column 1: protected_paths: this key is missing'],
    [
      'the wrong type',
      withKey('"secret_files": ".env"'),
      'line 2, column 19: secret_files: invalid input: expected array, received string',
    ],
    [
      'the wrong type inside',
      withKey('"secret_files": [".env", 7]'),
      'line 2, column 28: secret_files[1]: invalid input: expected string, received number',
    ],
    [
      'an empty path',
      withKey('"secret_files": [""]'),
      'line 2, column 20: secret_files[0]: too small: expected string to have >=1 characters',
    ],
    ['a NUL', withKey('"secret_files": ["a\\u0000b"]'), 'line 2, column 20: secret_files[0]: it holds a NUL'],
    [
      'the same entry twice',
      withKey('"secret_files": [".env", ".env"]'),
      'line 2, column 19: secret_files: an entry is there twice',
    ],
    [
      'a slash in a program to ask about',
      withKey('"shell_ask": ["bin/python3"]'),
      'line 2, column 17: shell_ask[0]: a bare program name: no slash, `=` or blank',
    ],
    [
      'an assignment for a program',
      withKey('"shell_ask": ["X=1"]'),
      'line 2, column 17: shell_ask[0]: a bare program name: no slash, `=` or blank',
    ],
    [
      'an empty exact command',
      withKey('"shell_exact": [[]]'),
      'line 2, column 19: shell_exact[0]: too small: expected array to have >=1 items',
    ],
    [
      'a slash in a name pattern',
      withKey('"protected_names": ["a/b"]'),
      'line 2, column 23: protected_names[0]: a pattern for one name: no slash',
    ],
    [
      'a list for a closed network',
      withKey('"network": {"mode": "deny_all", "allow": ["https://a.test"]}'),
      'line 2, column 44: network.allow: only mode "allowlist" has a list',
    ],
    [
      'a mode that is not known',
      withKey('"network": {"mode": "allow_all"}'),
      'line 2, column 23: network.mode: invalid option: expected one of "deny_all"|"allowlist"',
    ],
    [
      'an entry that is no origin',
      withKey('"network": {"mode": "allowlist", "allow": ["docs.example.com"]}'),
      'line 2, column 46: network.allow[0]: it is no plainly spelled origin',
    ],
    [
      'a timeout that is no integer',
      withKey('"approval_timeout_sec": 1.5'),
      'line 2, column 27: approval_timeout_sec: invalid input: expected int, received number',
    ],
    [
      'an API decision of another type',
      withKey('"apis": {"a": {"b": {"decision": true}}}'),
      'line 2, column 36: apis.a.b.decision: invalid input: expected string, received boolean',
    ],
  ])('names the place of %s', (_title, text, line) => {
    expect(problems(text)[0]).toBe(line)
  })

  it('names every key that is missing', () => {
    expect(problems('{"sandbox_root": "."}').map((line) => /: (\w+):/.exec(line)?.[1])).toEqual([
      'protected_paths',
      'writable_dirs',
      'shell_allowlist',
    ])
  })

  it.each(['/', '//', '/./'])('takes %s for no sandbox', (root) => {
    expect(problems(MINIMAL.replace('"."', JSON.stringify(root)))).toEqual([
      'line 1, column 18: sandbox_root: the whole disk is no sandbox',
    ])
  })

  it('refuses a program that is both granted and asked about', () => {
    const text = MINIMAL.replace('"shell_allowlist": []', '"shell_allowlist": ["cat"], "shell_ask": ["cat"]')
    expect(problems(text)[0]).toContain('shell_ask[0]: this program is on shell_allowlist too')
  })
})

it('publishes its JSON Schema', async () => {
  const schema = z.toJSONSchema(PolicySchema, { io: 'input' })
  const text = await format(JSON.stringify(schema), { parser: 'json', printWidth: 120 })
  await expect(text).toMatchFileSnapshot('../../src/firewall/policy.schema.json')
})
