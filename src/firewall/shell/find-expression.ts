import { BARE } from './find-words.ts'

/** An expression of find, as a tree. */
export type FindNode =
  | { readonly kind: 'test'; readonly word: string; readonly value: string }
  | { readonly kind: 'not'; readonly of: FindNode }
  | { readonly kind: 'and' | 'or'; readonly first: FindNode; readonly second: FindNode }

/** It is tried on each name of a walk. */
const MAX_WORDS = 64
const ANDS = new Set(['-a', '-and'])
const ORS = new Set(['-o', '-or'])

interface Cursor {
  readonly words: readonly string[]
  at: number
}

/**
 * Reads the words of an expression; undefined when they are none, or more than are worth it. A comma is not read: programs
 * differ on what it binds.
 */
export function parseFind(words: readonly string[]): FindNode | undefined {
  if (words.length > MAX_WORDS) return undefined
  if (words.length === 0) return { kind: 'test', word: '-true', value: '' }
  const cursor: Cursor = { words, at: 0 }
  const node = or(cursor)
  return cursor.at === words.length ? node : undefined
}

function or(cursor: Cursor): FindNode | undefined {
  let first = and(cursor)
  while (first !== undefined && ORS.has(cursor.words[cursor.at] ?? '')) {
    cursor.at++
    const second = and(cursor)
    first = second === undefined ? undefined : { kind: 'or', first, second }
  }
  return first
}

/** Two tests side by side are joined as by -a. */
function and(cursor: Cursor): FindNode | undefined {
  let first = not(cursor)
  while (first !== undefined && cursor.at < cursor.words.length) {
    const word = cursor.words[cursor.at] ?? ''
    if (ORS.has(word) || word === ')') return first
    if (ANDS.has(word)) cursor.at++
    const second = not(cursor)
    first = second === undefined ? undefined : { kind: 'and', first, second }
  }
  return first
}

function not(cursor: Cursor): FindNode | undefined {
  const word = cursor.words[cursor.at++]
  if (word === undefined) return undefined
  if (word === '!' || word === '-not') {
    const of = not(cursor)
    return of === undefined ? undefined : { kind: 'not', of }
  }
  if (word === '(') {
    const inner = or(cursor)
    return cursor.words[cursor.at++] === ')' ? inner : undefined
  }
  return test(word, cursor)
}

function test(word: string, cursor: Cursor): FindNode | undefined {
  if (!word.startsWith('-') || ANDS.has(word) || ORS.has(word)) return undefined
  if (BARE.has(word)) return { kind: 'test', word, value: '' }
  const value = cursor.words[cursor.at++]
  return value === undefined ? undefined : { kind: 'test', word, value }
}
