import type { SecretValue } from './secret-values.ts'

/**
 * What a needle is looked for in. `plain`: the text and its decoded forms. `base64`: the same with the URL-safe alphabet
 * mapped to the usual one. `folded`: without case, blanks and separators.
 */
type View = 'plain' | 'base64' | 'folded'

/** One form of a secret value, and the file and key that it comes from. */
export interface Needle {
  readonly file: string
  readonly key: string
  readonly view: View
  readonly text: string
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const RUN = /[\w+/-]{16}/
const RUNS = /[\w+/-]{16,}/g
const SEPARATORS = /[\s:;,._|/\\'"`-]+/g
/** A value that loses more than its separators to folding could be found by chance. */
const MIN_FOLDED = 12

/** All forms of a value that are looked for: as it is, reversed, in Base64, Base32 and hexadecimal, spread out. */
export function needlesOf(file: string, { key, value }: SecretValue): readonly Needle[] {
  const bytes = Buffer.from(value, 'utf8')
  // Two bytes for each character, as Windows shells take an encoded command.
  const wide = Buffer.from(value, 'utf16le')
  const reversed = Array.from(value).reverse().join('')
  const forms: readonly (readonly [View, readonly string[]])[] = [
    ['plain', [value, reversed]],
    ['base64', [...base64Cores(bytes), ...base64Cores(wide)]],
    ['folded', [bytes.toString('hex'), wide.toString('hex'), ...base32Cores(bytes), ...spread(value)]],
  ]
  return forms.flatMap(([view, texts]) => [...new Set(texts)].map((text) => ({ file, key, view, text })))
}

/** The folded value, when enough of it is left. */
function spread(value: string): readonly string[] {
  const folded = value.toLowerCase().replaceAll(SEPARATORS, '')
  return folded.length >= MIN_FOLDED ? [folded] : []
}

/** The characters of Base64 that depend on the value alone, for each place in a group of three bytes. Spec: section 5. */
function base64Cores(value: Buffer): readonly string[] {
  return [0, 2, 3].map((skip, offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), value]).toString('base64')
    return encoded.slice(skip, Math.floor(((offset + value.length) * 8) / 6))
  })
}

/** The same for Base32, whose groups are five bytes; lower case, because it is looked for without case. */
function base32Cores(value: Buffer): readonly string[] {
  return [0, 1, 2, 3, 4].map((offset) => {
    const encoded = base32(Buffer.concat([Buffer.alloc(offset), value]))
    return encoded.slice(Math.ceil((offset * 8) / 5), Math.floor(((offset + value.length) * 8) / 5)).toLowerCase()
  })
}

function base32(bytes: Buffer): string {
  let [text, bits, held] = ['', 0, 0]
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    for (held += 8; held >= 5; held -= 5) text += BASE32.charAt((bits >> (held - 5)) & 31)
    bits &= (1 << held) - 1
  }
  return held === 0 ? text : text + BASE32.charAt((bits << (5 - held)) & 31)
}

/** What the needles are looked for in: the text, as written and decoded in each known way. */
export function viewsOf(text: string): Readonly<Record<View, readonly string[]>> {
  // Decoders may be stacked, as in a percent-encoded text in a JSON string; two rounds reach what two layers hide.
  const once = [text, ...decodings(text)]
  const all = [...new Set([...once, ...once.slice(1).flatMap(decodings)])]
  return {
    plain: all,
    base64: all.map((each) =>
      each
        .replaceAll('-', '+')
        .replaceAll('_', '/')
        .replaceAll(/[\r\n\t ]+/g, ''),
    ),
    folded: all.map((each) => each.toLowerCase().replaceAll(SEPARATORS, '')),
  }
}

function decodings(text: string): readonly string[] {
  const found: string[] = []
  if (text.includes('%')) found.push(percentDecoded(text))
  if (text.includes('+')) found.push(text.replaceAll('+', ' '))
  if (text.includes('\\')) found.push(unescaped(text))
  if (text.includes('&')) found.push(entitiesDecoded(text))
  if (RUN.test(text)) found.push(runsDecoded(text))
  if (/["'\\]/.test(text)) found.push(text.replaceAll(/["']|\\(?=.)/gs, ''))
  return found
}

/** What an encoded text may hold in turn: Base64 of Base64, hexadecimal of an escaped text. */
function runsDecoded(text: string): string {
  const runs = text.match(RUNS) ?? []
  return runs.map((run) => Buffer.from(run, isHex(run) ? 'hex' : 'base64').toString('utf8')).join('\n')
}

const isHex = (run: string): boolean => run.length % 2 === 0 && /^[0-9a-fA-F]+$/.test(run)

/** Byte by byte, so that one broken escape does not hide the rest. */
function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-fA-F]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  )
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
