import { strictJson, StrictJsonError } from '../core/strict-json.ts'

/** One value of a secret file that must not leave. */
export interface SecretValue {
  readonly value: string
  /** The key that it is assigned to; empty for a line without one. For the audit. */
  readonly key: string
}

/** A shorter text would be found by chance in harmless arguments. */
const MIN_CHARACTERS = 8
const MAX_CHARACTERS = 64 * 1024
const MAX_VALUES = 10_000
/** Words of a key that name a credential, each a whole segment of it. */
const CREDENTIAL =
  /^(?:keys?|secrets?|tokens?|passwords?|passwd|passphrase|pwd|pass|auth|credentials?|creds|private|apikeys?|accesskeys?|authtoken|accesstoken|secretkey|dsn|connection|connectionstring|cookies?|session|salt|signature|bearer|webhook)$/
/** Values that stand for no secret: refusing every call that holds one would stop the work and protect nothing. */
const PLACEHOLDERS = new Set(
  [
    'changeme',
    'change-me',
    'password',
    'passw0rd',
    'password1',
    'password123',
    'undefined',
    'xxxxxxxx',
    'example',
    'your-key-here',
  ].concat([
    'localhost',
    'development',
    'production',
    'postgres',
    'username',
    'required',
    'disabled',
    'abcdefgh',
    '12345678',
  ]),
)
const ASSIGNMENT = /^(?:export\s+)?([^\s=:#;"'][^=:]*?|"[^"]+"|'[^']+'|\/\/[^\s=]+:_\w+)\s*(?:=|:(?=\s|$))\s*(.*)$/
const URL_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^\s/@:]*:([^\s/@]+)@/i

/**
 * The values of one secret file: what is assigned to a key that names a credential, the password of an address, and every
 * line that is no assignment (a token, the body of a PEM file). Plain configuration yields nothing. Spec: section 5.
 */
export function secretValues(text: string): readonly SecretValue[] {
  const found = fromJson(text) ?? fromLines(text)
  const unique = new Map(found.filter(isWorthHiding).map((each) => [each.value, each]))
  return [...unique.values()].slice(0, MAX_VALUES)
}

/** Values that are too short or too common to be looked for; a check of the policy reports them. */
export function weakValues(text: string): readonly SecretValue[] {
  return (fromJson(text) ?? fromLines(text)).filter((each) => each.key !== '' && !isWorthHiding(each))
}

function isWorthHiding({ value }: SecretValue): boolean {
  if (value.length < MIN_CHARACTERS || value.length > MAX_CHARACTERS) return false
  return !PLACEHOLDERS.has(value.toLowerCase()) && new Set(value).size > 2
}

/** True when a segment of the key names a credential: `_`, `-`, `.`, blanks and capitals separate segments. */
function namesCredential(key: string): boolean {
  const segments = key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  const pairs = segments.map((segment, index) => segment + (segments[index + 1] ?? ''))
  return [...segments, ...pairs].some((segment) => CREDENTIAL.test(segment))
}

/** Every string below a credential's key, of a file that is JSON; undefined for any other. */
function fromJson(text: string): readonly SecretValue[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return below(strictJson(text), '', false)
  } catch (cause) {
    if (cause instanceof StrictJsonError) return undefined
    throw cause
  }
}

function below(value: unknown, key: string, isSecret: boolean): readonly SecretValue[] {
  if (typeof value === 'string') return ofValue(key, value, isSecret)
  if (typeof value === 'number') return isSecret ? [{ key, value: String(value) }] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = Array.isArray(value) ? key : name
    return below(member, inner, isSecret || namesCredential(name))
  })
}

function ofValue(key: string, value: string, isSecret: boolean): readonly SecretValue[] {
  const password = URL_PASSWORD.exec(value)?.[1]
  const passwords = password === undefined ? [] : [password, ...decoded(password)].map((each) => ({ key, value: each }))
  if (!isSecret) return passwords
  // A key in PEM form that is kept as one text may leave line by line.
  const lines = value.includes('\n') ? fromLines(value).map((line) => ({ key, value: line.value })) : []
  return [{ key, value }, ...passwords, ...lines]
}

function decoded(text: string): readonly string[] {
  try {
    const plain = decodeURIComponent(text)
    return plain === text ? [] : [plain]
  } catch (cause) {
    if (cause instanceof URIError) return []
    throw cause
  }
}

function fromLines(text: string): readonly SecretValue[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
  return lines.flatMap((line) => ofLine(line.trim()))
}

function ofLine(whole: string): readonly SecretValue[] {
  const line = whole.replace(/^- +/, '')
  if (line.length > MAX_CHARACTERS) return []
  if (line === '' || /^[#;]/.test(line) || /^-----(?:BEGIN|END) [^-]+-----$/.test(line)) return []
  if (/^\[[^\]]*\]$/.test(line)) return []
  const [, key, value] = ASSIGNMENT.exec(line) ?? []
  if (key === undefined || value === undefined || isPadding(value)) {
    return [{ key: '', value: line }, ...wordsAfter(line)]
  }
  const name = unquoted(key)
  return ofValue(name, unquoted(withoutComment(value)), namesCredential(name))
}

/** As in `.netrc`: the word behind one that names a credential. */
function wordsAfter(line: string): readonly SecretValue[] {
  const found = line.matchAll(/\b(password|passwd|token|secret)[ \t]+(\S+)/gi)
  return [...found].map(([, key = '', value = '']) => ({ key, value }))
}

/** The tail of a Base64 line looks like an assignment of nothing. */
const isPadding = (value: string): boolean => /^=*$/.test(value)

function withoutComment(value: string): string {
  const quoted = /^(["'])(.*?)\1(?:\s+#.*|\s*[,;])?$/.exec(value)
  return quoted === null ? value.replace(/\s+#.*$/, '').replace(/,$/, '') : `"${quoted[2] ?? ''}"`
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text
