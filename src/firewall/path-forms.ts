import { posix } from 'node:path'
import { isAtOrBelow, MAX_PATH_CHARACTERS } from './paths.ts'
import type { Place, Places } from './places.ts'

/** What a text names when a server opens it, in the worst of all readings; `open` when every reading is harmless. */
export type Reading =
  | { readonly kind: 'open' | 'protected' | 'outside'; readonly path: string }
  | { readonly kind: 'refused'; readonly detail: string }

/**
 * Judges a text that may or may not be a path, in every way in which a server could read it: as the kernel does, as
 * software that cleans the text first does, as a `file:` URI, percent-decoded, trimmed. Guessing which texts are paths
 * is what lets some through, so all are judged. Spec: section 15, numbers 22 and 23.
 */
export function readingOf(text: string, cwd: string, places: Places): Reading {
  const uri = fileUri(text)
  if (typeof uri === 'string') return { kind: 'refused', detail: uri }
  const forms = uri?.paths ?? textForms(text)
  const readings = forms.flatMap((form) => judged(form, cwd, places))
  const turned = uri === undefined ? unlikelyForms(text).flatMap((form) => judged(form, cwd, places)) : []
  const worst =
    [...readings, ...turned].find(({ kind }) => kind === 'protected') ??
    readings.find(({ kind }) => kind === 'outside') ??
    readings.find(({ kind }) => kind === 'refused') ??
    readings[0]
  return worst === undefined ? { kind: 'open', path: '' } : reading(worst)
}

function reading(place: Place): Reading {
  return place.kind === 'refused' ? { kind: 'refused', detail: place.detail } : { kind: place.kind, path: place.path }
}

/** The paths of a `file:` URI, a sentence about what is wrong with it, or undefined for any other text. */
function fileUri(text: string): { readonly paths: readonly string[] } | string | undefined {
  // As URL readers do: blanks around it and line breaks in it do not count, and the scheme has no case.
  const spelled = unquoted(text)
    .trim()
    .replaceAll(/[\t\r\n]/g, '')
  // Other schemes wrap a file, as `jar:file:/a.jar!/b` does.
  const plain = spelled.replace(/^(?:[a-z][a-z0-9+.-]*:)+(?=file:)/i, '')
  const found = /^file:(?:\/\/([^/\\?#]*))?([^]*)$/i.exec(plain)
  if (found === null) return undefined
  const [, host = '', rest = ''] = found
  if (host !== '' && host.toLowerCase() !== 'localhost') return 'a file URI of another host'
  const bare = rest.replace(/[?#][^]*$/, '')
  const decoded = percentDecoded(bare)
  if (decoded === undefined || decoded !== percentDecoded(decoded)) return 'a file URI that is encoded twice or wrongly'
  return { paths: [...new Set([decoded, bare, rest].flatMap((path) => [path, ...containerOf(path)]))] }
}

/** The file that holds the entry which is named behind an exclamation mark. */
const containerOf = (path: string): readonly string[] => (path.includes('!') ? [path.slice(0, path.indexOf('!'))] : [])

/** Without one pair of quotes or angle brackets. */
const unquoted = (text: string): string => /^\s*(?:(["'`])([^]*)\1|<([^]*)>)\s*$/.exec(text)?.slice(2).join('') ?? text

/** In front of a query or a fragment, in front of a line number, behind an equals sign, behind a scheme. */
const UNLIKELY = [
  /^([^?#]+)[?#]/,
  /^(.+?)(?::\d+){1,2}$/,
  /^[\w.-]+=(.+)$/,
  /^[a-z][a-z0-9+.-]*:(?:\/\/[^/]*)?(\/.+)$/i,
]

/** Forms of a path that a text may as well hold by chance: only a protected path counts there. */
function unlikelyForms(text: string): readonly string[] {
  // A backslash separates names on another system; here it may as well be part of a text.
  const turned = text.includes('\\') ? [text.replaceAll('\\', '/')] : []
  if (text.length > MAX_PATH_CHARACTERS || /\s/.test(text)) return turned
  return [...turned, ...UNLIKELY.flatMap((pattern) => pattern.exec(text)?.[1] ?? [])]
}

function textForms(text: string): readonly string[] {
  const forms = new Set([text, text.trim(), text.normalize('NFC'), text.normalize('NFKC')])
  const bare = unquoted(text)
  if (bare !== text) forms.add(bare).add(bare.trim())
  for (const holder of containerOf(bare.replace(/^(?:jar|zip):/i, ''))) forms.add(holder)
  if (/^~(?:[\w.-]*\/|$)/.test(text)) forms.add(`/home/${text}`)
  if (text.startsWith('@')) forms.add(text.slice(1))
  const value = /^-[^\s=]*=(.+)$/s.exec(text)?.[1]
  if (value !== undefined) forms.add(value)
  return [...new Set([...forms].flatMap((form) => [form, ...percentForms(form)]))]
}

/** Decoded once and twice. */
function percentForms(form: string): readonly string[] {
  const once = form.includes('%') ? percentDecoded(form) : undefined
  return once === undefined ? [] : [once, percentDecoded(once) ?? once]
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    if (cause instanceof URIError) return undefined
    throw cause
  }
}

/** One form in the order of the kernel and, where the two may differ, cleaned as text first. */
function judged(form: string, cwd: string, places: Places): readonly Place[] {
  const physical = form.length <= MAX_PATH_CHARACTERS ? [places.trace(form, cwd)] : []
  if (physical.length > 0 && !form.includes('..')) return physical
  const cleaned = posix.resolve(cwd, form)
  if (cleaned.length <= MAX_PATH_CHARACTERS) return [...physical, places.trace(cleaned, cwd)]
  // No system opens a path of this length; only where it starts matters.
  return isAtOrBelow(cleaned, places.root) ? physical : [...physical, { kind: 'outside', path: cleaned.slice(0, 200) }]
}
