import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { strictJson, StrictJsonError } from '../../src/core/strict-json.ts'

describe('strict JSON', () => {
  it.each([
    ['an empty text', ''],
    ['prose', 'permit'],
    ['trailing text', '{} {}'],
    ['a trailing comma', '{"a":1,}'],
    ['NaN', '{"a":NaN}'],
    ['a plus sign', '{"a":+1}'],
    ['a byte-order mark', '\ufeff{}'],
    ['a duplicate key', '{"a":1,"a":2}'],
    ['a duplicate key spelled with an escape', '{"a":1,"\\u0061":2}'],
    ['a duplicate key far down', '[{"a":[{"b":{"c":1,"d":2,"c":3}}]}]'],
    ['a duplicate key after a string full of braces', '{"a":"{[\\"}","b":1,"a":2}'],
    ['__proto__', '{"__proto__":{"decision":true}}'],
    ['__proto__ spelled with an escape', '{"__pr\\u006fto__":1}'],
    ['constructor', '{"a":{"constructor":1}}'],
    ['prototype', '[{"prototype":1}]'],
    ['a lone surrogate', '{"a":"\ud800"}'],
    ['an escaped lone surrogate', '{"a":"\\ud800"}'],
    ['an escaped lone surrogate in a key', '{"\\udc00":1}'],
    ['a number beyond a double', '{"a":1e400}'],
    ['101 levels', `${'['.repeat(101)}${']'.repeat(101)}`],
  ])('refuses %s', (_what, text) => {
    expect(() => strictJson(text)).toThrow(StrictJsonError)
  })

  it.each([
    ['the same key in two objects', '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
    ['a key as a value', '{"a":"a","b":"a"}', { a: 'a', b: 'a' }],
    ['a paired surrogate escape', '{"a":"\\ud83d\\ude00"}', { a: '😀' }],
    ['a string with quotes and backslashes', '{"a\\"b":"c\\\\","d":1}', { 'a"b': 'c\\', d: 1 }],
    ['numbers', '[-0.5e-7,1E3,0]', [-0.5e-7, 1000, 0]],
    ['100 levels', `${'['.repeat(100)}${']'.repeat(100)}`, expect.anything()],
  ])('takes %s', (_what, text, value) => {
    expect(strictJson(text)).toEqual(value)
  })

  test.prop([fc.jsonValue()])('reads what JSON.stringify writes', (value) => {
    const text = JSON.stringify(value)
    fc.pre(!/__proto__|constructor|prototype/.test(text) && text.isWellFormed() && !text.includes('\\ud'))
    expect(strictJson(text)).toEqual(JSON.parse(text))
  })

  test.prop([fc.string()])('never throws anything but its own error', (text) => {
    try {
      strictJson(text)
    } catch (cause) {
      expect(cause).toBeInstanceOf(StrictJsonError)
    }
  })
})
