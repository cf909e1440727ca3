/** A key as Node's readline names it. */
export interface Key {
  /** The character that it types, if any. */
  readonly text?: string | undefined
  readonly name?: string | undefined
  readonly ctrl?: boolean | undefined
  readonly meta?: boolean | undefined
}

/** What a key does to the line: nothing, more of it, less of it, or its end. */
type KeyEffect =
  | { readonly kind: 'typed'; readonly line: string; readonly echo: string }
  | { readonly kind: 'entered' | 'interrupted' | 'ended' | 'ignored'; readonly line: string }

const LONGEST = 300
const RUBBED_OUT = '\b \b'

/** Adds one key to a line that is being typed. Only visible characters get into it, so its echo is safe to write. */
export function keyed(line: string, key: Key): KeyEffect {
  if (key.ctrl === true) return controlled(line, key)
  switch (key.name ?? '') {
    case 'return':
    case 'enter':
      return { kind: 'entered', line }
    case 'backspace':
      return rubbedOut(line)
    default:
      return typed(line, key)
  }
}

function controlled(line: string, { name }: Key): KeyEffect {
  switch (name ?? '') {
    case 'c':
      return { kind: 'interrupted', line }
    case 'd':
      return { kind: line === '' ? 'ended' : 'ignored', line }
    case 'h':
      return rubbedOut(line)
    case 'u':
      return { kind: 'typed', line: '', echo: RUBBED_OUT.repeat(Array.from(line).length) }
    case 'j':
    case 'm':
      return { kind: 'entered', line }
    default:
      return { kind: 'ignored', line }
  }
}

function rubbedOut(line: string): KeyEffect {
  if (line === '') return { kind: 'ignored', line }
  return { kind: 'typed', line: Array.from(line).slice(0, -1).join(''), echo: RUBBED_OUT }
}

function typed(line: string, { text = '', meta }: Key): KeyEffect {
  const isPlain = meta !== true && Array.from(text).length === 1 && !/[\p{C}\p{M}\p{Zl}\p{Zp}\p{DI}]/u.test(text)
  return isPlain && line.length < LONGEST ? { kind: 'typed', line: line + text, echo: text } : { kind: 'ignored', line }
}
