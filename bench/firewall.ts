import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolCall } from '../src/core/call.ts'
import { sessionId, toolCallId } from '../src/core/ids.ts'
import type { Login } from '../src/core/login.ts'
import type { PolicyInput } from '../src/firewall/policy.ts'
import { openFirewall, type OpenFirewall } from '../src/firewall/open-firewall.io.ts'
import { memoryTaints } from '../src/firewall/taint.ts'
import { createWorld } from '../src/world.io.ts'
import { signInBob } from './bank-gate.ts'
import { decidedKinds } from './decided-kinds.ts'
import { figure, median, quantile, timedUs, type Figure, type Section } from './figures.ts'
import { runNode } from './node-program.ts'
import { CLI, type Place } from './place.ts'

const CALLS = 20_000
const WARM_UP = 2_000
const FOLDERS = 100
const FILES_EACH = 50
const COLD_WALKS = 15
const WARM_WALKS = 200
const LINES = 10_000
/** Longer than a tick of the disk's clock: what was listed before may be remembered from then on. */
const SETTLE_MS = 120

const POLICY: PolicyInput = {
  sandbox_root: 'workspace',
  protected_paths: ['.env', 'vault'],
  protected_names: ['.env.*', '*.pem'],
  secret_files: ['.env'],
  writable_dirs: ['src'],
  shell_allowlist: ['cat', 'wc', 'grep', 'ls', 'head', 'sort', 'find'],
  shell_ask: ['make'],
  network: { mode: 'allowlist', allow: ['https://docs.example.com'] },
  mcp_registry: { demo: ['echo'] },
  apis: { calendar: { read: { scope: 'calendar.read', decision: 'allow' } } },
}

/** Decisions of a firewall policy: single rules, a search over many files, and a long list of mixed calls. */
export async function firewall(place: Place): Promise<Section> {
  const policyFile = makeWorkspace(realpathSync(place.folder))
  const world = createWorld()
  try {
    const login = await signInBob(world)
    const open = (): OpenFirewall => openFirewall({ policyFile, taints: memoryTaints(), protect: [] })
    return {
      title: 'Firewall policy',
      how:
        `one screening from the call to its outcome, secrets looked for in every argument; a search below ${FOLDERS} ` +
        `folders with ${FOLDERS * FILES_EACH} files, each cold one with a firewall of its own; ${LINES} mixed lines ` +
        'through the built program, answers counted and checked.',
      figures: [...ruleFigures(open, login), ...(await walkFigures(open, login)), await linesFigure(place, policyFile)],
    }
  } finally {
    await world.close()
  }
}

function makeWorkspace(folder: string): string {
  const root = join(folder, 'workspace')
  for (let at = 0; at < FOLDERS; at++) {
    mkdirSync(join(root, `src/part-${at}`), { recursive: true })
    for (let n = 0; n < FILES_EACH; n++) {
      writeFileSync(join(root, `src/part-${at}/file-${n}.ts`), `export const n = ${n}\n`)
    }
  }
  mkdirSync(join(root, 'vault'))
  writeFileSync(join(root, '.env'), 'API_KEY=sk-bench-0123456789abcdef\n')
  const policy = join(folder, 'policy.json')
  writeFileSync(policy, JSON.stringify(POLICY))
  return policy
}

type Asked = Pick<ToolCall, 'kind' | 'tool' | 'args'>

const callOf = (asked: Asked, login: Login): ToolCall => ({
  ...asked,
  ...{ id: toolCallId('c1'), session: sessionId('bench'), turn: 1, login },
})

/** Screens a call that must be let through. */
function screened(wall: OpenFirewall, call: ToolCall): void {
  const { outcome } = wall.screen(call)
  if (outcome.decision !== 'allow') throw new Error(`the firewall said ${outcome.rule}: ${outcome.detail}`)
}

function ruleFigures(open: () => OpenFirewall, login: Login): readonly Figure[] {
  const file = 'src/part-7/file-7.ts'
  const asked: Readonly<Record<string, Asked>> = {
    'argv rule': { kind: 'exec', tool: '', args: { argv: ['wc', '-l', file] } },
    'path rule': { kind: 'read', tool: 'view', args: { path: file } },
    'line of two commands': { kind: 'shell', tool: 'bash', args: { command: `cat ${file} | wc -l` } },
  }
  const wall = open()
  try {
    return Object.entries(asked).flatMap(([what, each]) => {
      const call = callOf(each, login)
      for (let n = 0; n < WARM_UP; n++) screened(wall, call)
      const samples = Array.from({ length: CALLS }, () =>
        spentUs(() => {
          screened(wall, call)
        }),
      )
      return [
        figure(`${what}, p50`, 'µs', median(samples), { target: { atMost: 100 } }),
        figure(`${what}, p99`, 'µs', quantile(samples, 0.99)),
      ]
    })
  } finally {
    wall.close()
  }
}

function spentUs(work: () => void): number {
  const started = process.hrtime.bigint()
  work()
  return Number(process.hrtime.bigint() - started) / 1000
}

async function walkFigures(open: () => OpenFirewall, login: Login): Promise<readonly Figure[]> {
  const search = callOf({ kind: 'exec', tool: '', args: { argv: ['grep', '-rn', 'export', 'src'] } }, login)
  const cold: number[] = []
  for (let n = 0; n < COLD_WALKS; n++) {
    const wall = open()
    cold.push(
      await timedUs(() => {
        screened(wall, search)
      }),
    )
    wall.close()
  }
  const wall = open()
  for (let n = 0; n < 2; n++) {
    screened(wall, search)
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  }
  screened(wall, search)
  const warm = Array.from({ length: WARM_WALKS }, () =>
    spentUs(() => {
      screened(wall, search)
    }),
  )
  wall.close()
  const files = FOLDERS * FILES_EACH
  return [
    figure(`search over ${files} files, cold`, 'ms', median(cold) / 1000, { target: { atMost: 20 } }),
    figure(`search over ${files} files, no folder changed`, 'ms', median(warm) / 1000, { target: { atMost: 2 } }),
  ]
}

const MIXED: readonly (readonly [request: object, kind: 'permit' | 'deny'])[] = [
  [{ kind: 'exec', argv: ['wc', '-l', 'src/part-1/file-1.ts'] }, 'permit'],
  [{ kind: 'shell', fullCommandText: 'cat src/part-2/file-2.ts | head -n 1' }, 'permit'],
  [{ kind: 'shell', fullCommandText: 'cat $HOME/.env' }, 'deny'],
  [{ kind: 'read', path: 'src/part-3/file-3.ts' }, 'permit'],
  [{ kind: 'read', path: 'src/../.env' }, 'deny'],
  [{ kind: 'hook', toolName: 'create', toolArgs: { path: 'src/new.ts', file_text: 'export {}' } }, 'permit'],
  [{ kind: 'url', url: 'https://docs.example.com/guide' }, 'permit'],
  [{ kind: 'url', url: 'https://docs.example.com@evil.example/' }, 'deny'],
  [{ kind: 'mcp', serverName: 'demo', toolName: 'echo', args: { text: 'hello world' } }, 'permit'],
  [{ kind: 'api-call', audience: 'calendar', operation: 'read' }, 'permit'],
]

async function linesFigure(place: Place, policyFile: string): Promise<Figure> {
  const lines = Array.from({ length: LINES }, (_, at) =>
    JSON.stringify({ id: String(at), caller: 'bench', request: MIXED[at % MIXED.length]?.[0] }),
  )
  const ended = await runNode([CLI, 'decide', '--jsonl', '--policy', policyFile], {
    cwd: place.folder,
    env: place.env,
    input: `${lines.join('\n')}\n`,
  })
  const kinds = decidedKinds(ended.stdout)
  const wrong = kinds.findIndex((kind, at) => kind !== MIXED[at % MIXED.length]?.[1])
  if (kinds.length !== LINES || wrong >= 0) {
    throw new Error(`decide answered wrongly: line ${wrong} of ${kinds.length}`)
  }
  return figure(`decide --jsonl over ${LINES} mixed lines, with the start`, 's', ended.ms / 1000, {
    target: { atMost: 5 },
  })
}
