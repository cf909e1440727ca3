import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openOut, type OutFolder } from '../../src/cli/scenarios-out.io.ts'
import { smallDisk } from './small-disk.ts'

const BATCH = { digest: 'd1', label: 'runs' }
let folder: string
const files = (): readonly string[] => readdirSync(folder).toSorted()
const lines = (): readonly string[] => readFileSync(join(folder, 'runs-gate.jsonl'), 'utf8').split('\n').slice(0, -1)

/** Opens the folder, works in it, and closes it. */
function within<T>(work: (out: OutFolder) => T, batch = BATCH): T {
  const out = openOut(folder, batch)
  try {
    return work(out)
  } finally {
    out.close()
  }
}
const keepThree = (): void => {
  within((out) => {
    for (const key of ['k1', 'k2', 'k3']) out.keep(key, 'gate', `{"key":"${key}"}`)
  })
}
const done = (): readonly string[] => within((out) => [...out.done])

describe('openOut', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gate-out-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  it('holds transcripts and a journal, and nothing else once it is closed', () => {
    keepThree()
    expect(files()).toEqual(['journal.ndjson', 'runs-gate.jsonl'])
    expect(done()).toEqual(['k1', 'k2', 'k3'])
    expect(lines()).toHaveLength(3)
  })

  it('cuts off a transcript that the journal does not name, and a torn line of either', () => {
    keepThree()
    appendFileSync(join(folder, 'runs-gate.jsonl'), '{"key":"k4"}\n{"ke')
    appendFileSync(join(folder, 'journal.ndjson'), '{"key":"k4"')
    expect(done()).toEqual(['k1', 'k2', 'k3'])
    within((out) => {
      out.keep('k4', 'gate', '{"key":"k4"}')
    })
    expect(done()).toEqual(['k1', 'k2', 'k3', 'k4'])
    expect(lines()).toEqual(['k1', 'k2', 'k3', 'k4'].map((key) => `{"key":"${key}"}`))
  })

  it('cuts off a whole file that the journal does not name', () => {
    within(() => undefined)
    writeFileSync(join(folder, 'runs-gate.jsonl'), '{"key":"k1"}\n')
    expect(done()).toEqual([])
    expect(lines()).toEqual([])
  })

  it('makes runs again whose transcripts are lost', () => {
    keepThree()
    truncateSync(join(folder, 'runs-gate.jsonl'), 15)
    expect(done()).toEqual(['k1'])
    expect(lines()).toEqual(['{"key":"k1"}'])
  })

  it('refuses another batch', () => {
    keepThree()
    expect(() => openOut(folder, { ...BATCH, digest: 'd2' })).toThrow(
      'holds a batch of other scenarios or other options',
    )
    expect(done()).toEqual(['k1', 'k2', 'k3'])
  })

  it('refuses transcripts of another making', () => {
    writeFileSync(join(folder, 'mine.jsonl'), '{}\n')
    expect(() => openOut(folder, BATCH)).toThrow('holds mine.jsonl and no journal')
  })

  it('refuses a journal that is none', () => {
    writeFileSync(join(folder, 'journal.ndjson'), '{"journal":1,"digest":"d1"}\nhello\n')
    expect(() => openOut(folder, BATCH)).toThrow(/journal\.ndjson, line 2: is not a line of a journal/)
  })

  it('is for one process at a time', () => {
    within(() => {
      expect(() => openOut(folder, BATCH)).toThrow(/journal\.ndjson/)
    })
  })

  it('names a folder that cannot be made', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => openOut(join(folder, 'file'), BATCH)).toThrow(/--out .*cannot be used \(EEXIST\)/)
  })

  it.runIf(existsSync('/proc/self'))('ends where no folder can ever be made', () => {
    expect(() => openOut('/proc/none/of/this', BATCH)).toThrow(/--out .*cannot be used \(ENOENT\)/)
  })

  it('makes the folders above its own', () => {
    const deep = join(folder, 'a', 'b')
    openOut(deep, BATCH).close()
    expect(readdirSync(deep)).toEqual(['journal.ndjson'])
  })

  it('says so when the disk is full, and goes on with what is left once there is room', (context) => {
    const disk = smallDisk(64)
    if (disk === undefined) return context.skip('mounting a disk needs root')
    const line = JSON.stringify({ text: 'x'.repeat(10_000) })
    const keepAll = (out: OutFolder, from: number): void => {
      for (let run = from; run < 20; run++) out.keep(`k${run}`, 'gate', line)
    }
    const out = openOut(disk, BATCH)
    expect(() => {
      keepAll(out, 0)
    }).toThrow(`--out ${disk}: cannot be written to any more (ENOSPC)`)
    out.close()
    execFileSync('mount', ['-o', 'remount,size=1m', disk])
    const again = openOut(disk, BATCH)
    const kept = again.done.size
    keepAll(again, kept)
    again.close()
    expect([kept > 0, kept < 20]).toEqual([true, true])
    const lines = readFileSync(join(disk, 'runs-gate.jsonl'), 'utf8').split('\n').slice(0, -1)
    expect(new Set(lines)).toEqual(new Set([line]))
    expect(lines).toHaveLength(20)
  })
})
