import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pass, refuse, type Verdict } from '../../src/core/verdict.ts'
import type { AgentAnswer, AgentSource } from '../../src/intent/agent-source.ts'
import { openRecording, readRecording } from '../../src/intent/recording-file.io.ts'
import {
  parseRecording,
  recording,
  RECORDING_HEADER,
  type RecordedAnswer,
  type RecorderOptions,
} from '../../src/intent/recording.ts'
import { bobsBalance, patient, viewBobs } from './fixtures.ts'

const KNOWLEDGE = 'a'.repeat(64)

/** An agent that gives the same verdict to everybody. */
const saying = (verdict: Verdict<AgentAnswer>): AgentSource => ({
  ask: () => Promise.resolve(verdict),
  extract: () => Promise.reject(new Error('the recorder asks')),
})

function recorder(verdict: Verdict<AgentAnswer>, options: Partial<RecorderOptions> = {}) {
  const kept: RecordedAnswer[] = []
  const source = recording(saying(verdict), {
    agent: '1.1.0',
    knowledge: KNOWLEDGE,
    now: () => new Date('2026-06-01T12:00:00Z'),
    keep: (recorded) => kept.push(recorded),
    ...options,
  })
  return { source, kept }
}

const answered = pass<AgentAnswer>({ evaluations: [viewBobs], digest: 'd-1' })

const bobs: RecordedAnswer = {
  tenant: 'canbank',
  subject: { type: 'Customer', id: 'bob' },
  sentence: 'View the balance of Account acc-bob-checking',
  answer: { kind: 'extracted', evaluations: [viewBobs] },
  agent: '1.1.0',
  digest: 'd-1',
  knowledge: KNOWLEDGE,
  at: '2026-06-01T12:00:00.000Z',
}

describe('recording an agent', () => {
  it('gives every answer on as it is, and keeps it with agent, digests and date', async () => {
    const { source, kept } = recorder(answered)
    expect(await source.extract(bobsBalance(), patient())).toEqual(pass([viewBobs]))
    expect(kept).toEqual([bobs])
  })

  it('keeps nothing of a login but who it is', async () => {
    const { source, kept } = recorder(answered)
    await source.ask(bobsBalance({ token: 'a-secret-token' }), patient())
    expect(JSON.stringify(kept)).not.toContain('a-secret-token')
  })

  it.each([
    { what: 'a refusal of the agent', verdict: refuse('intent.refused', 'no'), recorded: 1 },
    { what: 'an outage', verdict: refuse('intent.unavailable', 'down'), recorded: 0 },
    { what: 'a time-out', verdict: refuse('intent.timeout', 'late'), recorded: 0 },
    { what: 'a malformed answer', verdict: refuse('intent.answer_invalid', 'odd'), recorded: 0 },
  ])('keeps $recorded answers of $what', async ({ verdict, recorded }) => {
    const { source, kept } = recorder(verdict)
    expect(await source.extract(bobsBalance(), patient())).toEqual(verdict)
    expect(kept).toHaveLength(recorded)
  })

  it('keeps the first answer to a question only, also one that was in the file before', async () => {
    const { source, kept } = recorder(answered, { known: [bobs] })
    await source.ask(bobsBalance(), patient())
    await source.ask(bobsBalance({ id: 'alice' }), patient())
    await source.ask(bobsBalance({ id: 'alice' }), patient())
    await source.ask(bobsBalance({ tenant: 'fjordbank' }), patient())
    expect(kept.map(({ tenant, subject }) => `${subject.id} at ${tenant}`)).toEqual([
      'alice at canbank',
      'bob at fjordbank',
    ])
  })

  it('uses no answer that could not be kept', async () => {
    const { source } = recorder(answered, {
      keep: () => {
        throw new Error('the disk is full')
      },
    })
    await expect(source.ask(bobsBalance(), patient())).rejects.toThrow('the disk is full')
  })
})

const text = (...lines: readonly unknown[]): string =>
  [RECORDING_HEADER, ...lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))]
    .map((line) => `${line}\n`)
    .join('')

describe('reading a recording', () => {
  it('reads what was written', () => {
    const refused: RecordedAnswer = {
      tenant: 'canbank',
      subject: { type: 'Customer', id: 'bob' },
      sentence: 'Open the vault',
      answer: { kind: 'refused' },
      agent: '1.1.0',
      knowledge: KNOWLEDGE,
      at: '2026-06-01T12:00:00.000Z',
    }
    expect(parseRecording(text(bobs, refused), 'r.jsonl')).toEqual([bobs, refused])
  })

  it.each([
    { what: 'no header', file: `${JSON.stringify(bobs)}\n`, line: 1, says: 'header' },
    {
      what: 'a header of a later version',
      file: '{"recording":"intent-agent","version":2}\n',
      line: 1,
      says: 'version 1',
    },
    { what: 'an empty file', file: '', line: 1, says: 'not JSON' },
    { what: 'a line that was cut off', file: text(bobs).slice(0, -9), line: 2, says: 'cut off' },
    { what: 'a line that is no JSON', file: text('{'), line: 2, says: 'not JSON' },
    { what: 'a duplicate key', file: text('{"tenant":"a","tenant":"b"}'), line: 2, says: 'duplicate key' },
    { what: 'an unknown field', file: text({ ...bobs, token: 'x' }), line: 2, says: 'unrecognized_keys' },
    { what: 'a subject without id', file: text({ ...bobs, subject: { type: 'a' } }), line: 2, says: 'subject.id' },
    { what: 'the same question twice', file: text(bobs, bobs), line: 3, says: 'earlier line' },
    {
      what: 'answers of two agents',
      file: text(bobs, { ...bobs, sentence: 'Another', agent: '2.0.0' }),
      line: 3,
      says: 'another agent',
    },
    {
      what: 'answers under two digests',
      file: text(bobs, { ...bobs, sentence: 'Another', digest: 'd-2' }),
      line: 3,
      says: 'another agent, schema or policies',
    },
  ])('refuses $what, and names file and line', ({ file, line, says }) => {
    expect(() => parseRecording(file, 'r.jsonl')).toThrow(`recording r.jsonl, line ${line}: `)
    expect(() => parseRecording(file, 'r.jsonl')).toThrow(says)
  })

  it('takes a digest of its own for each tenant', () => {
    const other = { ...bobs, tenant: 'fjordbank', digest: 'd-2', knowledge: 'b'.repeat(64) }
    expect(parseRecording(text(bobs, other), 'r.jsonl')).toHaveLength(2)
  })
})

describe('a recording file', () => {
  let folder = ''
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'recording-'))))
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })

  it('holds each answer as soon as it is kept, and goes on where it was left', () => {
    const file = join(folder, 'r.jsonl')
    openRecording(file).keep(bobs)
    const again = openRecording(file)
    expect(again.known).toEqual([bobs])
    again.keep({ ...bobs, sentence: 'Another' })
    expect(readRecording(file)).toHaveLength(2)
  })

  it('does not write over a file that is none', () => {
    const file = join(folder, 'notes.txt')
    writeFileSync(file, 'notes\n')
    expect(() => openRecording(file)).toThrow('line 1')
    expect(readFileSync(file, 'utf8')).toBe('notes\n')
  })

  it('says which file cannot be read', () => {
    expect(() => readRecording(join(folder, 'none.jsonl'))).toThrow('cannot be read or written (ENOENT)')
  })
})
