import { quotedSpans, type Quoted } from './quoted.ts'

/** More than a person types; a longer message is asked about, whole. In bytes of UTF-8. */
const MAX_BYTES = 8 * 1024

/** A message in the one spelling that is hashed and that every span of an origin points into. */
export interface CanonicalMessage {
  /** NFC, line feeds, without outer space, case kept. Hidden characters are still in it. */
  readonly text: string
  /** The text without hidden characters: what is parsed. */
  readonly readable: string
  /** Offset in `text` of the UTF-16 unit at an offset of `readable`. */
  readonly at: (index: number) => number
  /** Zero-width, bidirectional or control characters were in it. */
  readonly hidden: boolean
  /** Quoted and pasted parts, in offsets of `readable`, in order, without overlaps. */
  readonly quoted: readonly Quoted[]
}

/** A message that can be read, or why it cannot. */
export type Canonical =
  | { readonly ok: true; readonly message: CanonicalMessage }
  | { readonly ok: false; readonly fault: 'empty' | 'lone_surrogate' | 'too_long' }

/** Marks that nothing shows: controls, format characters, fillers that look like nothing. */
const HIDDEN = /[\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0]|[^\P{Cc}\n\t]/u
const EVERY_HIDDEN = new RegExp(HIDDEN.source, 'gu')

/**
 * The canonical form of one user message (intent-certificate model, 1.2). Linear in the text; an oversized one costs
 * nothing. Canonicalizing twice changes nothing.
 */
export function canonicalMessage(text: string): Canonical {
  // A UTF-16 unit is at least one byte, so the length alone refuses what is far too long before anything reads it.
  if (text.length > MAX_BYTES * 2) return { ok: false, fault: 'too_long' }
  if (!text.isWellFormed()) return { ok: false, fault: 'lone_surrogate' }
  const canonical = text.normalize('NFC').replace(/\r+\n/g, '\n').trim()
  if (canonical === '') return { ok: false, fault: 'empty' }
  if (Buffer.byteLength(canonical) > MAX_BYTES) return { ok: false, fault: 'too_long' }
  const { readable, at, hidden } = withoutHidden(canonical)
  return { ok: true, message: { text: canonical, readable, at, hidden, quoted: quotedSpans(readable) } }
}

function withoutHidden(text: string): Pick<CanonicalMessage, 'readable' | 'at' | 'hidden'> {
  if (!HIDDEN.test(text)) return { readable: text, at: (index) => index, hidden: false }
  const offsets: number[] = []
  let from = 0
  let readable = ''
  const keep = (end: number): void => {
    readable += text.slice(from, end)
    for (let index = from; index < end; index += 1) offsets.push(index)
  }
  for (const { index, 0: mark } of text.matchAll(EVERY_HIDDEN)) {
    keep(index)
    from = index + mark.length
  }
  keep(text.length)
  return { readable, at: (index) => offsets[index] ?? text.length, hidden: true }
}
