import { announcedIn } from './announced.ts'
import { ACCOUNT_NAMES } from './nouns.ts'
import { isRequestVerb } from './verbs.ts'
import { ARGUMENT_LABELS, FILLERS, LABELS, PASTE_CUES, TICKETS } from './words.ts'

/** A part of a message that is not the user's own order: between quotation marks, or pasted. */
export interface Quoted {
  readonly start: number
  readonly end: number
  /** What an `inline` quote holds can be a name or a value; a `block` is nobody's word at all. */
  readonly kind: 'inline' | 'block'
}

/**
 * Finds what a message quotes or pastes (intent-certificate model, 1.2 and 12.10). In doubt it says quoted: an order that
 * is lost costs a question, an order that is taken from a pasted text costs money.
 */
export function quotedSpans(text: string): readonly Quoted[] {
  const blocks = merged([...blockSpans(text), ...announcedSpans(text)])
  return merged([...blocks, ...inlineSpans(text, blocks)])
}

/** What only the words around it say to be a text of somebody else. */
function announcedSpans(text: string): readonly Quoted[] {
  const announced = announcedIn(text)
  if (announced === undefined) return []
  return [{ start: announced.kind === 'whole' ? 0 : announced.start, end: text.length, kind: 'block' }]
}

function merged(spans: readonly Quoted[]): readonly Quoted[] {
  const result: Quoted[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last === undefined || span.start >= last.end) result.push(span)
    else result.splice(-1, 1, { start: last.start, end: Math.max(last.end, span.end), kind: 'block' })
  }
  return result
}

/** A speaker that chats and prompts are written with; nobody writes this way to a bank. */
const ROLE =
  /^[ \t]*(?:[[<#*|({]+[ \t]*)?\/?(?:system|assistant|user|developer|tool|function|human|ai|bot|admin|instructions?|prompt|im_start|im_end|inst)(?:[ \t_][ \t_a-z]{0,24})?(?:[\]>)}|]|\*\*|:|=)/i
const FORWARD =
  /^[ \t]*(?:-{3,}|_{5,}|={3,}|begin forwarded message|(?:on|den|på|from|fra|frå|to|til|sent|sendt|subject|emne|date|dato|cc|reply-to)\b[^\n]{0,200}:[ \t]*$)/i
const HEADER = /^[ \t]*(?:from|fra|frå|to|til|sent|sendt|subject|emne|date|dato|cc|kopi|reply-to)[ \t]*:[ \t]*\S/i
const MARKUP = /(?:[{[][ \t\n]*["'{[])|<[/!?a-z|][^\n>]{0,80}>|(?:```|~~~)/i

interface Line {
  readonly start: number
  readonly end: number
  readonly text: string
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = []
  let start = 0
  for (const line of text.split('\n')) {
    lines.push({ start, end: start + line.length, text: line })
    start += line.length + 1
  }
  return lines
}

function blockSpans(text: string): readonly Quoted[] {
  const lines = linesOf(text)
  const spans: Quoted[] = []
  let open = false
  for (const [index, line] of lines.entries()) {
    const tail = tailStart(line, lines[index + 1])
    if (tail !== undefined) return [...spans, { start: tail, end: text.length, kind: 'block' }]
    // A quoted paragraph goes on to the next empty line, as in mail: wrapped lines lose their mark.
    open = line.text.trim() !== '' && (open || /^[ \t]*(?:[>＞]|&gt;)/.test(line.text))
    if (open) spans.push({ start: line.start, end: line.end, kind: 'block' })
  }
  return spans
}

/** Where the part of a line begins that makes the rest of the message a paste. */
function tailStart(line: Line, next: Line | undefined): number | undefined {
  if (startsPaste(line, next)) return line.start
  const markup = MARKUP.exec(line.text)
  const colon = pastingColon(line, next)
  const starts = [markup === null ? undefined : line.start + markup.index, colon].filter((at) => at !== undefined)
  return starts.length === 0 ? undefined : Math.min(...starts)
}

const startsPaste = (line: Line, next: Line | undefined): boolean =>
  ROLE.test(line.text) ||
  FORWARD.test(line.text) ||
  (HEADER.test(line.text) && next !== undefined && HEADER.test(next.text))

/** A colon with a space or nothing behind it; `12:30` and `https:` are none. */
const COLON = /[:：](?=\s|$|["“„«'‘])/g

/** More of them in one line than any sentence has; the rest is taken for a paste, which also bounds the work. */
const MAX_COLONS = 8

function pastingColon(line: Line, next: Line | undefined): number | undefined {
  let seen = 0
  for (const { index } of line.text.matchAll(COLON)) {
    seen += 1
    if (seen > MAX_COLONS) return line.start + index
    const before = line.text.slice(0, index)
    const after = line.text.slice(index + 1).trim()
    const sentence = before.slice(
      Math.max(before.lastIndexOf('. '), before.lastIndexOf('! '), before.lastIndexOf('? ')) + 1,
    )
    if (introducesPaste(sentence, after, next)) return line.start + index
  }
  return undefined
}

/** The names that everybody's own accounts have. */
const OWN_ACCOUNT = `(?:(?:my|the|our) )?(?:${ACCOUNT_NAMES.flat().join('|')})(?: (?:account|konto|min|mi))?`
const OWN_ENDS = new RegExp(`^(?:from|fra|frå) ${OWN_ACCOUNT}(?: (?:to|til) ${OWN_ACCOUNT})?$`, 'u')

function introducesPaste(sentence: string, after: string, next: Line | undefined): boolean {
  if (after === '') return next !== undefined
  // One word behind it is a value, whatever is said before: "pay this invoice: inv-alice-1".
  if (next === undefined && !/\s/.test(after)) return false
  const words = sentence.toLowerCase().match(/[\p{L}-]+/gu) ?? []
  if (words.some((word) => PASTE_CUES.has(word))) return true
  if (isOwnLabel(words)) return false
  // "From savings to checking: send 500": the user's own accounts stand before the colon, and not a sender.
  if (OWN_ENDS.test(words.filter((word) => !FILLERS.has(word)).join(' '))) return false
  const first = words.find((word) => !FILLERS.has(word))
  return first !== undefined && !isRequestVerb(first)
}

/** What stands before the colon names the user's own value or request, or is the number of a ticket and nothing else. */
function isOwnLabel(words: readonly string[]): boolean {
  const last = words.at(-1) ?? ''
  return ARGUMENT_LABELS.has(last) || LABELS.has(last) || (words.length === 1 && TICKETS.has(last))
}

/** Quotations inside quotations; deeper ones are no text that a person writes. */
const MAX_DEPTH = 8
const DOUBLE = '"“”„‟«»＂″「」『』〝〞〟'
const SINGLE = "'‘’‚‛‹›`´′＇"
const MARKS = new RegExp(`[${DOUBLE}${SINGLE}]`, 'g')

interface Mark {
  readonly family: string
  readonly at: number
}

/** Quotation marks by the shape of their place, not by their kind: every language turns them another way. */
function inlineSpans(text: string, blocks: readonly Quoted[]): readonly Quoted[] {
  const spans: Quoted[] = []
  const stack: Mark[] = []
  for (const mark of marksOutside(text, blocks)) {
    if (stack.length > MAX_DEPTH) break
    const act = actOf(text, mark, stack)
    if (act === 'open') stack.push(mark)
    if (act !== 'close') continue
    const [first] = stack.splice(stack.findLastIndex(({ family }) => family === mark.family))
    if (stack.length === 0 && first !== undefined) spans.push({ start: first.at, end: mark.at + 1, kind: 'inline' })
  }
  const [unclosed] = stack
  return unclosed === undefined ? spans : [...spans, { start: unclosed.at, end: text.length, kind: 'block' }]
}

function* marksOutside(text: string, blocks: readonly Quoted[]): Generator<Mark> {
  let block = 0
  for (const { index, 0: mark } of text.matchAll(MARKS)) {
    while ((blocks[block]?.end ?? Infinity) <= index) block += 1
    const isInside = (blocks[block]?.start ?? Infinity) <= index
    if (!isInside) yield { family: DOUBLE.includes(mark) ? DOUBLE : SINGLE, at: index }
  }
}

const INSIDE_WORD = /[\p{L}\p{M}\p{N}]/u

function actOf(text: string, { family, at }: Mark, stack: readonly Mark[]): 'open' | 'close' | 'none' {
  const [before, after] = [text.charAt(at - 1), text.charAt(at + 1)]
  const wordBefore = INSIDE_WORD.test(before)
  if (family === SINGLE && wordBefore && INSIDE_WORD.test(after)) return 'none'
  if (stack.some((open) => open.family === family)) return opensInside(before, after) ? 'open' : 'close'
  return family === DOUBLE || !wordBefore ? 'open' : 'none'
}

/** A quotation inside one of its own kind: a space before it and text behind. */
const opensInside = (before: string, after: string): boolean => /[\s([{]/.test(before) && /[^\s.,;:!?)\]}]/.test(after)
