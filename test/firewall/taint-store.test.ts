import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { taintStore } from '../../src/firewall/taint-store.io.ts'
import { memoryTaints, taintKey, TaintStoreError, type TaintStore } from '../../src/firewall/taint.ts'

const base = mkdtempSync(join(tmpdir(), 'taint-'))
afterAll(() => {
  rmSync(base, { recursive: true, force: true })
})
let count = 0
const newFolder = (): string => join(base, String(count++))

describe.each<[string, () => TaintStore]>([
  ['in memory', memoryTaints],
  ['in a folder', () => taintStore(newFolder())],
])('a store %s', (_kind, open) => {
  it('keeps reasons, each once, until a person resets the session (weakness 42)', () => {
    const store = open()
    expect(store.reasons('bank', 's1')).toEqual([])
    store.add('bank', 's1', ['one'])
    store.add('bank', 's1', ['one', 'two'])
    expect(store.reasons('bank', 's1')).toEqual(['one', 'two'])
    store.reset('bank', 's1')
    expect(store.reasons('bank', 's1')).toEqual([])
  })

  it.each([
    ['another session', 'bank', 's2'],
    ['another tenant', 'other', 's1'],
    ['a name that joins to the same text', 'ban', 'ks1'],
  ])('leaves %s alone', (_title, tenant, session) => {
    const store = open()
    store.add('bank', 's1', ['one'])
    expect(store.reasons(tenant, session)).toEqual([])
  })

  it('takes no reasons for no taint', () => {
    const store = open()
    store.add('bank', 's1', [])
    expect(store.reasons('bank', 's1')).toEqual([])
  })

  it('keeps no more than 32 reasons', () => {
    const store = open()
    for (let index = 0; index < 40; index++) store.add('bank', 's1', [String(index)])
    expect(store.reasons('bank', 's1')).toHaveLength(32)
  })
})

describe('the folder', () => {
  it('outlives the process that wrote to it', () => {
    const folder = newFolder()
    taintStore(folder).add('bank', 's1', ['one'])
    expect(taintStore(folder).reasons('bank', 's1')).toEqual(['one'])
  })

  it('has one private file for each session, named by a hash', () => {
    const folder = newFolder()
    taintStore(folder).add('bank', 's1', ['one'])
    expect(readdirSync(folder)).toEqual([taintKey('bank', 's1')])
    expect(statSync(join(folder, taintKey('bank', 's1'))).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it.each([
    ['an empty file', ''],
    ['half a file', '{"reasons":["o'],
    ['another shape', '{"reasons":[]}'],
    ['a large file', 'x'.repeat(100_000)],
  ])('takes %s for a mark', (_title, text) => {
    const folder = newFolder()
    const store = taintStore(folder)
    writeFileSync(join(folder, taintKey('bank', 's1')), text)
    expect(store.reasons('bank', 's1')).toEqual(['unreadable mark'])
    store.add('bank', 's1', ['two'])
    expect(store.reasons('bank', 's1')).toEqual(['unreadable mark', 'two'])
  })

  it.each<[string, (folder: string, file: string) => void]>([
    [
      'the folder is gone',
      (folder) => {
        rmSync(folder, { recursive: true })
      },
    ],
    [
      'the folder is a file',
      (folder) => {
        rmSync(folder, { recursive: true })
        writeFileSync(folder, '')
      },
    ],
    [
      'the folder is a link',
      (folder) => {
        rmSync(folder, { recursive: true })
        mkdirSync(`${folder}-2`)
        symlinkSync(`${folder}-2`, folder)
      },
    ],
    [
      'a folder is in the place of the mark',
      (_folder, file) => {
        mkdirSync(file)
      },
    ],
    [
      'a link is in the place of the mark',
      (_folder, file) => {
        symlinkSync('/etc/hostname', file)
      },
    ],
    [
      'a pipe is in the place of the mark',
      (_folder, file) => {
        execFileSync('mkfifo', [file])
      },
    ],
  ])('cannot be used when %s', (_title, spoil) => {
    const folder = newFolder()
    const store = taintStore(folder)
    spoil(folder, join(folder, taintKey('bank', 's1')))
    expect(() => store.reasons('bank', 's1')).toThrow(TaintStoreError)
    expect(() => {
      store.add('bank', 's1', ['one'])
    }).toThrow(TaintStoreError)
  })

  it('cannot be opened where a file is', () => {
    const path = newFolder()
    writeFileSync(path, '')
    chmodSync(path, 0o600)
    expect(() => taintStore(path)).toThrow(TaintStoreError)
    expect(readFileSync(path, 'utf8')).toBe('')
  })
})
