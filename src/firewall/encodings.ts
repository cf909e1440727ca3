import { decodings, loosened, withoutPrefixes } from './decodings.ts'
import { isAscii } from './fold.ts'
import type { SecretValue } from './secret-values.ts'

/**
 * What a needle is looked for in. `plain`: the text and its decoded forms. `base64`: the same without anything that is no
 * sign of Base64, the URL-safe alphabet mapped to the usual one. `folded`: letters and digits only, without case.
 */
type View = 'plain' | 'base64' | 'folded'

/** One form of a secret value, and the file and key that it comes from. */
export interface Needle {
  readonly file: string
  readonly key: string
  readonly view: View
  readonly text: string
  /** True for the value as it is. */
  readonly isValue: boolean
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** A value that loses more than its separators to folding could be found by chance. */
const MIN_FOLDED = 12

/** All forms of a value that are looked for: as it is, reversed, in Base64, Base32 and hexadecimal, spread out. */
export function needlesOf(file: string, { key, value }: SecretValue): readonly Needle[] {
  const bytes = Buffer.from(value, 'utf8')
  // Two bytes for each character, as Windows shells take an encoded command.
  const wide = Buffer.from(value, 'utf16le')
  const swapped = Buffer.from(wide).swap16()
  const reversed = backwards(value)
  const forms: readonly (readonly [View, readonly string[]])[] = [
    ['plain', [value, reversed, rotated(value), turned(value)]],
    ['base64', [...[bytes, wide, swapped].flatMap(base64Cores), ...base64Cores(bytes).map(backwards)]],
    [
      'folded',
      [...[bytes, wide, swapped].map((each) => each.toString('hex')), ...base32Cores(bytes), ...spread(value)].flatMap(
        (each) => [each, backwards(each)],
      ),
    ],
  ]
  return forms.flatMap(([view, texts]) =>
    [...new Set(texts)].map((text) => ({ file, key, view, text, isValue: view === 'plain' && text === value })),
  )
}

const backwards = (text: string): string => Array.from(text).reverse().join('')

/** Each letter 13 places on; the text itself when it has no letters. */
const rotated = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const start = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(start + ((letter.charCodeAt(0) - start + 13) % 26))
  })

/** The same with all 94 visible signs and 47 places. */
const turned = (text: string): string =>
  text.replaceAll(/[!-~]/g, (sign) => String.fromCharCode(33 + ((sign.charCodeAt(0) - 33 + 47) % 94)))

/** The folded value, when enough of it is left. */
function spread(value: string): readonly string[] {
  const folded = foldedText(value)
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
  const decoded = decodings(text)
  const unique = (texts: readonly string[]): readonly string[] => (texts.length === 1 ? texts : [...new Set(texts)])
  return {
    plain: unique(decoded.flatMap((each) => [each, ...loosened(each)])),
    base64: unique(decoded.flatMap(base64Texts)),
    folded: unique([...decoded, ...decoded.flatMap(withoutPrefixes)].map(foldedText)),
  }
}

/** A minus is a sign of the URL-safe alphabet, or only parts groups of the usual one. */
function base64Texts(text: string): readonly string[] {
  const mapped = text.replaceAll('_', '/').replaceAll(/[^A-Za-z0-9+/-]+/g, '')
  return mapped.includes('-') ? [mapped.replaceAll('-', '+'), mapped.replaceAll('-', '')] : [mapped]
}

function foldedText(text: string): string {
  if (isAscii(text)) return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '')
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
