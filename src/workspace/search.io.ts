import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { ToolRefusal } from '../core/tool.ts'
import type { Places } from '../firewall/places.ts'
import { CUT, filesBelow } from './below.io.ts'
import type { Executor } from './executor.io.ts'
import { openJudged, type IsOpen } from './open-file.io.ts'

/** What a search needs. */
interface SearchGround {
  readonly executor: Executor
  readonly look: () => Places
  readonly isOpen: IsOpen
}

/** Files that one `grep` gets; each is an open descriptor. */
const BATCH = 200
/** Lines that one search shows. */
const MAX_LINES = 2_000
const MAX_CHARACTERS = 64 * 1024
/** Milliseconds for one search of many files. */
const MAX_MS = 30_000
/** How the first file that a program is handed open is called; the next ones count on. */
const FIRST = 3
const HELD = /\/dev\/fd\/([0-9]+)/

/**
 * Searches files and everything below folders for an extended regular expression. What is protected or leads elsewhere is
 * left out; each file is opened by us, through no link, and `grep` gets it open, so that no swap leads it to another.
 * @param roots physical, as the firewall found them.
 * @throws ToolRefusal when a file that is named itself cannot be read.
 */
export async function search(pattern: string, roots: readonly string[], ground: SearchGround): Promise<string> {
  const found = filesOf(roots, ground)
  const lines: string[] = []
  let { leftOut } = found
  let cut: string | undefined
  const until = performance.now() + MAX_MS
  for (let at = 0; at < found.files.length && cut === undefined; at += BATCH) {
    const batch = await searchBatch(pattern, found.files.slice(at, at + BATCH), ground)
    if (batch.kind === 'failed') return batch.says
    lines.push(...batch.lines)
    leftOut += batch.leftOut
    if (isFull(lines) || !batch.isWhole || performance.now() > until) cut = cutAfter(found.files.length - at - BATCH)
  }
  const notes = [
    ...(cut === undefined ? [] : [cut]),
    ...(found.isCut ? [CUT] : []),
    ...(leftOut === 0 ? [] : [`[left out: ${leftOut} protected or unusable ${plural(leftOut)}]`]),
  ]
  return answer(lines, notes)
}

const isFull = (lines: readonly string[]): boolean =>
  lines.length >= MAX_LINES || lines.reduce((sum, { length }) => sum + length, 0) >= MAX_CHARACTERS

const cutAfter = (rest: number): string =>
  `[cut: more was found than fits, or the time was up${rest > 0 ? `; ${rest} files were not searched` : ''}]`

function answer(lines: readonly string[], notes: readonly string[]): string {
  if (lines.length === 0 && notes.length === 0) return 'No match.'
  const shown = lines.length === 0 ? ['No match.'] : lines.slice(0, MAX_LINES)
  return `${[...shown, ...notes].join('\n')}\n`
}

const plural = (count: number): string => (count === 1 ? 'name' : 'names')

interface Searched {
  readonly files: readonly { readonly path: string; readonly isNamed: boolean }[]
  readonly leftOut: number
  readonly isCut: boolean
}

function filesOf(roots: readonly string[], { look }: SearchGround): Searched {
  const places = look()
  const mayLook = (path: string): boolean => places.locate(path, '/').kind === 'open'
  const below = roots.map((root) => ({ root, ...filesBelow(root, mayLook) }))
  const files = below.flatMap(({ root, files: names }) =>
    names.map((name) => ({ path: join(root, name), isNamed: name === '' })),
  )
  const leftOut = below.reduce((sum, each) => sum + each.leftOut, 0)
  return { files, leftOut, isCut: below.some(({ isCut }) => isCut) }
}

type Batch =
  | {
      readonly kind: 'searched'
      readonly lines: readonly string[]
      readonly isWhole: boolean
      readonly leftOut: number
    }
  | { readonly kind: 'failed'; readonly says: string }

async function searchBatch(pattern: string, files: Searched['files'], ground: SearchGround): Promise<Batch> {
  const held: { readonly path: string; readonly handle: number }[] = []
  try {
    for (const file of files) {
      const handle = opened(file, ground.isOpen)
      if (handle !== undefined) held.push({ path: file.path, handle })
    }
    if (held.length === 0) return { kind: 'searched', lines: [], isWhole: true, leftOut: files.length }
    const names = held.map((_, at) => `/dev/fd/${FIRST + at}`)
    const argv = ['grep', '-nIHE', '--null', '-m', String(MAX_LINES), '-e', pattern, '--', ...names]
    const stage = { joint: ';', argv, redirects: [] } as const
    const ran = await ground.executor.run([stage], '/', { held: held.map(({ handle }) => handle) })
    const pathOf = (number: string): string => held[Number(number) - FIRST]?.path ?? ''
    if (ran.exit === 2) {
      return { kind: 'failed', says: ran.output.replaceAll(new RegExp(HELD, 'g'), (_, at: string) => pathOf(at)) }
    }
    const lines = ran.output.split('\n').filter((line) => line !== '')
    const isWhole = ran.exit === 0 || ran.exit === 1
    const shown = lines.map((line) => line.replace(NAMED, (_, at: string) => `${pathOf(at)}:`))
    return { kind: 'searched', lines: shown, isWhole, leftOut: files.length - held.length }
  } finally {
    for (const { handle } of held) closeSync(handle)
  }
}

const NAMED = new RegExp(`^${HELD.source}\\0`)

/** Undefined for a file that came up on the way and cannot be read; one that was named is refused aloud. */
function opened({ path, isNamed }: Searched['files'][number], isOpen: IsOpen): number | undefined {
  try {
    return openJudged(path, 'read', isOpen)
  } catch (cause) {
    if (cause instanceof ToolRefusal && !isNamed) return undefined
    throw cause
  }
}
