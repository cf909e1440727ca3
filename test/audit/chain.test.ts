import { createHash } from 'node:crypto'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { EMPTY_CHAIN, HEAD_BYTES, headText, parseHead, sealer } from '../../src/audit/chain.ts'
import { checkChain } from '../../src/audit/check-chain.ts'
import { strictJson } from '../../src/core/strict-json.ts'
import { decision, outcome } from './records.ts'

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')

describe('a line', () => {
  it('is the JSON of v, seq, prev and the record, and names the hash of the exact bytes before it', () => {
    const chain = sealer(EMPTY_CHAIN)
    const first = chain.seal(decision('d1', { sentence: 'Pay 5 € to Åse' }))
    const second = chain.seal(outcome('d1'))
    expect(first).toBe(
      JSON.stringify({ v: 1, seq: 1, prev: '0'.repeat(64), ...decision('d1', { sentence: 'Pay 5 € to Åse' }) }),
    )
    expect(second).toBe(JSON.stringify({ v: 1, seq: 2, prev: sha256(first), ...outcome('d1') }))
    expect(chain.end()).toEqual({ count: 2, hash: sha256(second) })
  })

  it.each([
    {
      what: 'a lone surrogate',
      args: { account_id: 'acc-\ud800' },
      shown: '"args":"{\\"account_id\\":\\"acc-\\\\ud800\\"}"',
    },
    {
      what: 'a key that could reach a prototype',
      args: JSON.parse('{"__proto__":1}') as object,
      shown: '"args":"{\\"__proto__\\":1}"',
    },
    {
      what: 'too many levels',
      args: JSON.parse(`{"a":${'['.repeat(120)}${']'.repeat(120)}}`) as object,
      shown: '"args":"{\\"a\\":[[[',
    },
    { what: 'a newline and quotes', args: { id: 'a"\n{}' }, shown: '"args":{"id":"a\\"\\n{}"}' },
  ])('is strict JSON of one line when arguments hold $what', ({ args, shown }) => {
    const line = sealer(EMPTY_CHAIN).seal(decision('d1', { args: { ...args } }))
    // A spread drops an own __proto__, so that one goes in as it is.
    const odd = sealer(EMPTY_CHAIN).seal({ ...decision('d1'), args })
    expect(odd).toContain(shown)
    for (const text of [line, odd]) {
      expect(() => strictJson(text)).not.toThrow()
      expect(text).not.toContain('\n')
    }
  })

  it('replaces a lone surrogate in a plain text', () => {
    expect(sealer(EMPTY_CHAIN).seal(decision('d1', { detail: 'bad \udfff' }))).toContain('"detail":"bad \ufffd"')
  })
})

describe('the head', () => {
  it.each([0, 1, 9, 10, 12_345, Number.MAX_SAFE_INTEGER])('has one length and reads back for %d lines', (count) => {
    const head = { count, hash: sha256(String(count)) }
    expect(Buffer.byteLength(headText(head))).toBe(HEAD_BYTES)
    expect(parseHead(headText(head))).toEqual(head)
    expect(JSON.parse(headText(head))).toEqual({ v: 1, ...head })
  })

  it.each([
    { what: 'nothing', change: () => '' },
    { what: 'a missing newline', change: (text: string) => text.trimEnd() },
    { what: 'another version', change: (text: string) => text.replace('"v":1', '"v":2') },
    { what: 'a leading zero', change: (text: string) => text.replace('"count":7', '"count":07').replace('  ', ' ') },
    { what: 'a hash in capitals', change: (text: string) => text.replace(/[a-f]/g, (letter) => letter.toUpperCase()) },
    { what: 'something behind it', change: (text: string) => `${text} ` },
  ])('is damaged with $what', ({ change }) => {
    expect(parseHead(change(headText({ count: 7, hash: sha256('7') })))).toBeUndefined()
  })
})

const anyText = fc.string({ unit: 'binary', maxLength: 20 })
const anyString = fc.oneof(
  anyText,
  fc.string({ maxLength: 20 }),
  fc.constantFrom('\ud800', '\u2028', '{"v":1}\n', '__proto__'),
)
const anyRecord = fc.record({
  type: fc.constantFrom('decision', 'outcome', 'bypass'),
  id: anyString,
  tool: anyString,
  args: fc.dictionary(anyString, fc.jsonValue()),
})

function check(text: string, head: { count: number; hash: string }): boolean {
  const chain = checkChain(head)
  const bytes = Buffer.from(text, 'latin1')
  let from = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, from)) {
    chain.line(bytes.subarray(from, at), true)
    from = at + 1
  }
  if (from < bytes.length) chain.line(bytes.subarray(from), false)
  const report = chain.end()
  return report.problems.length === 0 && report.tail === undefined && report.beyond === 0
}

const written = (records: readonly object[]) => {
  const chain = sealer(EMPTY_CHAIN)
  const text = records.map((record) => `${chain.seal(record)}\n`).join('')
  return { text: Buffer.from(text).toString('latin1'), head: chain.end() }
}

describe('laws', () => {
  test.prop([fc.array(anyRecord, { maxLength: 8 })])('any records of any strings verify', (records) => {
    const { text, head } = written(records)
    expect(check(text, head)).toBe(true)
  })

  test.prop([fc.array(anyRecord, { minLength: 1, maxLength: 5 }), fc.nat(), fc.integer({ min: 1, max: 255 })])(
    'no byte can change unseen',
    (records, where, by) => {
      const { text, head } = written(records)
      const at = where % text.length
      const changed = `${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) ^ by)}${text.slice(at + 1)}`
      expect(check(changed, head)).toBe(false)
    },
  )

  test.prop([fc.array(anyRecord, { minLength: 1, maxLength: 5 }), fc.nat()])(
    'no end can be cut unseen',
    (records, where) => {
      const { text, head } = written(records)
      expect(check(text.slice(0, where % text.length), head)).toBe(false)
    },
  )
})
