import { constants, unzipSync } from 'node:zlib'
import { isAscii } from './fold.ts'

const RUN = /[\w+/-]{16}/
const RUNS = /[\w+/-]{16,}/g
/** Fewer numbers in a row than this spell nothing that is looked for. */
const MIN_BYTES = 8
/** More layers of escapes than this are not undone. */
const MAX_LAYERS = 4
/** Packed bytes that grow beyond this are not opened. */
const MAX_INFLATED = 64 * 1024

/**
 * A text and what it may say once it is decoded. The escapes are undone one after the other, four times, so that layers in
 * any order come apart; runs of Base64 and hexadecimal are opened beside that, twice as well. Spec: section 5.
 */
export function decodings(text: string): readonly string[] {
  const plain = layers(text)
  const runs = plain.flatMap(runsDecoded)
  const opened = runs.flatMap((each) => [each, unescapedOnce(each), ...runsDecoded(each)])
  return [...new Set([...plain, ...opened, ...plain.flatMap(numbersDecoded), ...printedTogether(text)])]
}

/** The text and what is left after each of at most four rounds of undoing escapes. */
function layers(text: string): readonly string[] {
  const found = [text]
  for (let last = text; found.length <= MAX_LAYERS;) {
    const next = unescapedOnce(last)
    if (next === last) break
    found.push(next)
    last = next
  }
  return found
}

/** With a plus for a blank, as in a form; without quotes and backslashes, as a shell reads it. What folding does anyway. */
export function loosened(text: string): readonly string[] {
  const spaced = text.includes('+') ? [text.replaceAll('+', ' ')] : []
  return /["'\\]/.test(text) ? [...spaced, text.replaceAll(/["']|\\(?=.)/gs, '')] : spaced
}

/** Without the prefix of each hexadecimal number. */
export const withoutPrefixes = (text: string): readonly string[] =>
  /0x[0-9a-f]{2}/i.test(text) ? [text.replaceAll(/0x(?=[0-9a-f]{2})/gi, '')] : []

/** Every kind of escape that there is, undone. */
function unescapedOnce(text: string): string {
  let plain = text
  if (plain.includes('%')) plain = percentDecoded(plain)
  if (plain.includes('\\')) plain = unescaped(plain)
  if (/U\+[0-9a-f]{4}/i.test(plain)) plain = codePointsRead(plain)
  if (plain.includes('&#')) plain = entitiesDecoded(plain)
  if (/=[0-9a-f]{2}=[0-9a-f]{2}/i.test(plain)) plain = quotedPrintableDecoded(plain)
  return isAscii(plain) ? plain : plainLetters(plain)
}

/** What Base64 or hexadecimal may hold in turn: Base64 of Base64, hexadecimal of an escaped text. Visible signs only. */
function runsDecoded(text: string): readonly string[] {
  if (!RUN.test(text)) return []
  const runs = text.match(RUNS) ?? []
  // A slash is a sign of Base64, and in an address it stands before one.
  const parts = runs.flatMap((run) => (run.includes('/') ? run.split('/').filter((part) => RUN.test(part)) : []))
  const decoded = [...runs, ...parts].map((run) =>
    inflated(Buffer.from(run, isHex(run) ? 'hex' : 'base64')).toString('latin1'),
  )
  return [decoded.join('\n').replaceAll(/[^\n -~]+/g, '')]
}

/** What gzip or zlib packed, when the bytes start like that and can be read; else the bytes. */
function inflated(bytes: Buffer): Buffer {
  const [first = 0, second = 0] = bytes
  const isPacked = (first === 0x1f && second === 0x8b) || ((first & 15) === 8 && (first * 256 + second) % 31 === 0)
  if (!isPacked) return bytes
  try {
    return unzipSync(bytes, { maxOutputLength: MAX_INFLATED, finishFlush: constants.Z_SYNC_FLUSH })
  } catch (cause) {
    // Not packed after all, torn, or larger than what is looked through.
    if (cause instanceof Error) return bytes
    throw cause
  }
}

const isHex = (run: string): boolean => run.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(run)

/** Byte by byte, so that one broken escape does not hide the rest. */
function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}

/** The same with an equals sign; one at the end of a line only folds it. RFC 2045, section 6.7. */
function quotedPrintableDecoded(text: string): string {
  return text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/(?:=[0-9a-fA-F]{2})+/g, (escapes) => Buffer.from(escapes.replaceAll('=', ''), 'hex').toString('utf8'))
}

/** The escapes of JSON, JavaScript and the shells. */
function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-7]{3})|(.))/gs,
    (_all, long?: string, short?: string, byte?: string, octal?: string, plain?: string) =>
      plain ?? codePoint(octal === undefined ? parseInt(long ?? short ?? byte ?? '', 16) : parseInt(octal, 8)),
  )
}

function entitiesDecoded(text: string): string {
  return text.replaceAll(/&#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}));/g, (_all, hex?: string, decimal?: string) =>
    codePoint(hex === undefined ? Number(decimal) : parseInt(hex, 16)),
  )
}

const codePoint = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd')

/** `U+0041 U+0042`, blanks between them left out. */
function codePointsRead(text: string): string {
  return text.replaceAll(/U\+([0-9a-fA-F]{4,6})[\s,;]*/g, (_all, hex: string) => codePoint(parseInt(hex, 16)))
}

/** Full-width and other compatible letters as the plain ones, tags as the signs that they hide, without what nobody sees. */
function plainLetters(text: string): string {
  const shown = text.replaceAll(/[\u{e0020}-\u{e007e}]/gu, (tag) => codePoint((tag.codePointAt(0) ?? 0) - 0xe0000))
  return shown.normalize('NFKC').replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu, '')
}

/** Decimal numbers in a row, as the bytes that they may be, or bits; the rest of the text is left out. */
function numbersDecoded(text: string): readonly string[] {
  return [...decimalsDecoded(text), ...bitsDecoded(text)]
}

function bitsDecoded(text: string): readonly string[] {
  const rows = text.match(/(?:[01]{8}[\s,;]*){8,}/g)
  if (rows === null) return []
  const bytes = (row: string): readonly number[] => (row.match(/[01]{8}/g) ?? []).map((bits) => parseInt(bits, 2))
  return [rows.map((row) => bytesAsText(bytes(row)) ?? '').join('\n')]
}

function decimalsDecoded(text: string): readonly string[] {
  if (!/(?:[0-9]{2,3}[\s,;]+){4}/.test(text)) return []
  const rows = text.match(/[0-9]{1,3}(?:[\s,;]+[0-9]{1,3})+/g) ?? []
  return [rows.map((row) => bytesAsText(row.split(/[\s,;]+/).map(Number)) ?? '').join('\n')]
}

/** The text that a list of numbers spells when each is one byte; undefined when it cannot be. */
export function bytesAsText(numbers: readonly number[]): string | undefined {
  if (numbers.length < MIN_BYTES) return undefined
  return Buffer.from(numbers.map((each) => (each <= 255 ? each : 0))).toString('utf8')
}

/** What several prints in one command line put together, one after the other. */
function printedTogether(text: string): readonly string[] {
  if (!text.includes('echo') && !text.includes('printf')) return []
  const pieces = text.split(/\b(?:echo|printf)\b/)
  return [pieces.map((piece) => trimmed(piece.replace(/^(?:\s+-[neE]+)*/, ''))).join('')]
}

/** Without blanks, quotes and signs between commands at either end. */
function trimmed(piece: string): string {
  let [start, end] = [0, piece.length]
  while (start < end && BETWEEN.has(piece.charAt(start))) start++
  while (start < end && BETWEEN.has(piece.charAt(end - 1))) end--
  return piece.slice(start, end)
}
const BETWEEN = new Set(Array.from(' \t\r\n;&|(){}"\''))
