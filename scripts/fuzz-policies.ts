import { strictJson, StrictJsonError } from '../src/core/strict-json.ts'
import { readPolicy } from '../src/firewall/policy-text.ts'
import { PolicySchema } from '../src/firewall/policy.ts'
import type { FuzzTarget, Random } from './fuzz-target.ts'

const GOOD = JSON.stringify(
  {
    version: 1,
    sandbox_root: '.',
    protected_paths: ['.env'],
    writable_dirs: ['src'],
    shell_allowlist: ['cat', 'ls'],
    shell_forbidden_args: { find: ['-delete'] },
    shell_ask: ['make'],
    shell_exact: [['npm', 'test']],
    network: { mode: 'allowlist', allow: ['https://docs.example.com'], queries: 'ask' },
    mcp_registry: { demo: ['echo'] },
    protected_names: ['*.pem'],
    secret_files: ['.env'],
    apis: { calendar: { read: { scope: 'r', decision: 'allow' } } },
    approval_timeout_sec: 30,
    audit: { verbose: false },
  },
  undefined,
  1,
)
const PIECES = [
  ...([
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '"version":1,',
    '"version":2',
    '"sandbox_root":"/",',
    'null',
    'true',
    '1e999',
    '-0',
    '01',
  ] as const),
  ...([
    '"protected_nmaes":[],',
    '"__proto__":{},',
    '"constructor":1,',
    '"network":{"mode":"open"},',
    '\u0000',
    '\ud800',
    '\ufeff',
    ' ',
    '\n',
    'NaN',
  ] as const),
  ...([
    '"\\u0000"',
    '"\\ud800"',
    '//x',
    '/*x*/',
    "'a'",
    '"a"',
    '"toString":[],',
    '9007199254740993',
    '[[[[[[',
    '"audit":{"verbose":"no"},',
    '.env',
  ] as const),
] as const

const KNOWN: Readonly<Record<string, ReadonlySet<string>>> = {
  '': new Set(Object.keys(PolicySchema.shape)),
  network: new Set(['mode', 'allow', 'queries']),
  audit: new Set(['verbose']),
}

/** Policies that are nearly right; another reader of JSON and the list of keys say which may load. */
export function policyTarget(): FuzzTarget {
  const counts = { loaded: 0, refused: 0 }
  return {
    check: (random) => {
      const text = mutated(random)
      const reading = readPolicy(text)
      counts[reading.ok ? 'loaded' : 'refused']++
      if (!reading.ok) {
        const isPlaced = reading.problems.every(({ line, column }) => line >= 1 && column >= 1)
        return reading.problems.length > 0 && isPlaced ? undefined : `refused without a place: ${JSON.stringify(text)}`
      }
      const wrong = unfit(text)
      return wrong === undefined ? undefined : `${wrong} and it loads: ${JSON.stringify(text)}`
    },
    settle: () => Promise.resolve([]),
    counts: () => counts,
    close: () => undefined,
  }
}

function mutated(random: Random): string {
  let text = GOOD
  const changes = 1 + random.below(3)
  for (let change = 0; change < changes; change++) text = once(text, random)
  return text
}

function once(text: string, random: Random): string {
  const at = random.below(text.length + 1)
  const end = at + random.below(random.chance(0.1) ? 200 : 4)
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at) + text.slice(end)
    case 1:
      return text.slice(0, at) + random.one(PIECES) + text.slice(at)
    case 2:
      return text.slice(0, at) + random.one(PIECES) + text.slice(end)
    case 3: {
      const line = random.one(['', ...text.split('\n')])
      return text.replace('{\n', `{\n${line.endsWith(',') ? line : `${line},`}\n`)
    }
    default:
      return text.slice(0, at)
  }
}

/** Why a text must not load, found without the reader that is being tested. */
function unfit(text: string): string | undefined {
  let value: unknown
  try {
    value = strictJson(text)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    return cause.message
  }
  const policy = value as Readonly<Record<string, unknown>>
  for (const [part, known] of Object.entries(KNOWN)) {
    const within = part === '' ? policy : (policy[part] as object | undefined)
    const stray = Object.keys(within ?? {}).find((key) => !known.has(key))
    if (stray !== undefined) return `the key ${stray} is not known`
  }
  return policy['version'] === undefined || policy['version'] === 1 ? undefined : 'another version'
}
