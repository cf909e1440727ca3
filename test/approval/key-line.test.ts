import { expect, it } from 'vitest'
import { keyed, type Key } from '../../src/approval/key-line.ts'

const char = (text: string): Key => ({ text, name: text })

it.each<{ what: string; line: string; key: Key; kind: string; then: string; echo?: string }>([
  { what: 'a letter', line: 'n', key: char('o'), kind: 'typed', then: 'no', echo: 'o' },
  { what: 'a letter beyond ASCII', line: '', key: { text: 'å' }, kind: 'typed', then: 'å', echo: 'å' },
  { what: 'a space', line: 'n', key: { text: ' ', name: 'space' }, kind: 'typed', then: 'n ', echo: ' ' },
  { what: 'Enter', line: 'y', key: { text: '\r', name: 'return' }, kind: 'entered', then: 'y' },
  { what: 'a line feed', line: 'y', key: { text: '\n', name: 'enter' }, kind: 'entered', then: 'y' },
  {
    what: 'Backspace',
    line: 'no😀',
    key: { text: '\x7f', name: 'backspace' },
    kind: 'typed',
    then: 'no',
    echo: '\b \b',
  },
  { what: 'Backspace on nothing', line: '', key: { name: 'backspace' }, kind: 'ignored', then: '' },
  { what: 'Ctrl-H', line: 'no', key: { name: 'h', ctrl: true }, kind: 'typed', then: 'n', echo: '\b \b' },
  { what: 'Ctrl-U', line: 'no', key: { name: 'u', ctrl: true }, kind: 'typed', then: '', echo: '\b \b\b \b' },
  { what: 'Ctrl-C', line: 'y', key: { text: '\u0003', name: 'c', ctrl: true }, kind: 'interrupted', then: 'y' },
  { what: 'Ctrl-D on nothing', line: '', key: { name: 'd', ctrl: true }, kind: 'ended', then: '' },
  { what: 'Ctrl-D on something', line: 'y', key: { name: 'd', ctrl: true }, kind: 'ignored', then: 'y' },
  { what: 'Ctrl-M', line: 'n', key: { name: 'm', ctrl: true }, kind: 'entered', then: 'n' },
  { what: 'Ctrl-Y', line: '', key: { text: '\u0019', name: 'y', ctrl: true }, kind: 'ignored', then: '' },
  { what: 'Alt-Y', line: '', key: { text: 'y', name: 'y', meta: true }, kind: 'ignored', then: '' },
  { what: 'an arrow', line: 'n', key: { name: 'up' }, kind: 'ignored', then: 'n' },
  { what: 'an escape code', line: '', key: { text: '\u001b', name: 'escape' }, kind: 'ignored', then: '' },
  { what: 'a zero-width mark', line: 'n', key: { text: '\u200b' }, kind: 'ignored', then: 'n' },
  { what: 'a combining mark', line: 'n', key: { text: '\u0301' }, kind: 'ignored', then: 'n' },
  { what: 'a whole paste as one key', line: '', key: { text: 'yes' }, kind: 'ignored', then: '' },
  { what: 'the 301st letter', line: 'a'.repeat(300), key: char('a'), kind: 'ignored', then: 'a'.repeat(300) },
])('$what', ({ line, key, kind, then, echo }) => {
  expect(keyed(line, key)).toEqual({ kind, line: then, ...(echo === undefined ? {} : { echo }) })
})
