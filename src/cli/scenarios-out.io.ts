import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { acquireLock } from '../audit/lock.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { NotKept } from './failure.io.ts'

/** What a batch is known by; another one has no business in the same folder. */
interface BatchName {
  /** Lower-case hex SHA-256 of everything that its runs depend on. */
  readonly digest: string
  /** Starts the name of each file of transcripts. */
  readonly label: string
}

/** The folder of `--out`: `*.jsonl` holds transcripts and nothing else, `journal.ndjson` what is done. */
export interface OutFolder {
  /** Keys of the runs that are in the files. */
  readonly done: ReadonlySet<string>
  /** Paths of the files that hold them. */
  readonly files: readonly string[]
  /** Keeps one run; once this returns it is never made again, whatever happens to this process. */
  keep(key: string, mode: string, line: string): void
  close(): void
}

const JOURNAL = 'journal.ndjson'
// Strict, because the file is ours.
const Head = z.strictObject({ journal: z.literal(1), digest: z.string() })
const Entry = z.strictObject({ key: z.string(), file: z.string().regex(/^[\w.-]+\.jsonl$/), end: z.int().positive() })
type Entry = z.output<typeof Entry>

/**
 * Opens a folder for a batch, or goes on with what a run before has left there. A transcript counts once the journal
 * names its end: what lies behind it in its file was cut off by the end of a process, and is made again.
 * @throws SettingError when the folder cannot be used, is in use, or holds another batch.
 */
export function openOut(folder: string, name: BatchName): OutFolder {
  const journal = join(folder, JOURNAL)
  usable(folder, () => {
    makeFolder(resolve(folder))
  })
  const lock = acquireLock(journal)
  try {
    const entries = usable(folder, () => resumed(folder, journal, name))
    return writer(folder, journal, name, entries, () => {
      lock.release(false)
    })
  } catch (cause) {
    lock.release(false)
    throw cause
  }
}

/** Node's own recursive way never ends in a folder that cannot hold one, such as /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  mkdirSync(folder)
}

/** The runs that are done; afterwards no file holds anything else. */
function resumed(folder: string, journal: string, { digest }: BatchName): readonly Entry[] {
  const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(0, -1) : []
  const [head, ...rest] = lines.map((line, index) => journalLine(line, journal, index))
  if (head === undefined) {
    const stray = readdirSync(folder).find((file) => file.endsWith('.jsonl'))
    if (stray !== undefined) throw new SettingError(`--out ${folder}`, `holds ${stray} and no journal`, ANOTHER)
    writeFileSync(journal, `${JSON.stringify({ journal: 1, digest })}\n`)
    return []
  }
  if (!('journal' in head) || head.digest !== digest) {
    const problem = 'holds a batch of other scenarios or other options'
    throw new SettingError(`--out ${folder}`, problem, ANOTHER)
  }
  const entries = rest.filter(
    (entry): entry is Entry => 'end' in entry && entry.end <= sizeOf(join(folder, entry.file)),
  )
  replace(journal, [head, ...entries])
  cutOff(folder, entries)
  return entries
}

const ANOTHER = 'Name another folder, or repeat the command that it was made with'

function journalLine(line: string, journal: string, index: number): z.output<typeof Head> | Entry {
  try {
    return (index === 0 ? Head : Entry).parse(JSON.parse(line))
  } catch (cause) {
    if (!(cause instanceof SyntaxError) && !(cause instanceof z.ZodError)) throw cause
    throw new SettingError(`${journal}, line ${index + 1}`, 'is not a line of a journal', ANOTHER)
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

function replace(journal: string, lines: readonly object[]): void {
  writeFileSync(`${journal}.new`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  renameSync(`${journal}.new`, journal)
}

function cutOff(folder: string, entries: readonly Entry[]): void {
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.jsonl'))) {
    const end = Math.max(0, ...entries.filter((entry) => entry.file === file).map((entry) => entry.end))
    if (sizeOf(join(folder, file)) > end) truncateSync(join(folder, file), end)
  }
}

function writer(
  folder: string,
  journal: string,
  { label }: BatchName,
  entries: readonly Entry[],
  release: () => void,
): OutFolder {
  const done = openSync(journal, 'a')
  const open = new Map<string, { readonly fd: number; end: number }>()
  const place = (file: string) => {
    const known = open.get(file)
    if (known !== undefined) return known
    const opened = { fd: openSync(join(folder, file), 'a'), end: sizeOf(join(folder, file)) }
    open.set(file, opened)
    return opened
  }
  return {
    done: new Set(entries.map(({ key }) => key)),
    files: [...new Set(entries.map(({ file }) => join(folder, file)))],
    keep: stoppedBy(folder, (key, mode, line) => {
      const file = `${label}-${mode}.jsonl`
      const at = place(file)
      const text = `${line}\n`
      // First the transcript, then the journal: a run that only the first one has is cut off and made again.
      appendFileSync(at.fd, text)
      at.end += Buffer.byteLength(text)
      appendFileSync(done, `${JSON.stringify({ key, file, end: at.end })}\n`)
    }),
    close: () => {
      for (const { fd } of open.values()) closeSync(fd)
      closeSync(done)
      release()
    },
  }
}

/** A disk that is full is no fault of the program, and nothing of the batch is lost. */
const stoppedBy =
  (folder: string, keep: OutFolder['keep']): OutFolder['keep'] =>
  (...run) => {
    try {
      keep(...run)
    } catch (cause) {
      if (!(cause instanceof Error) || !('code' in cause)) throw cause
      throw new NotKept(`--out ${folder}: cannot be written to any more (${String(cause.code)})`, { cause })
    }
  }

function usable<T>(folder: string, use: () => T): T {
  try {
    return use()
  } catch (cause) {
    if (cause instanceof SettingError || !(cause instanceof Error) || !('code' in cause)) throw cause
    throw new SettingError(
      `--out ${folder}`,
      `cannot be used (${String(cause.code)})`,
      'Name a folder that this user can write to',
    )
  }
}
