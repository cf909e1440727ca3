import { bytesAsText } from './decodings.ts'
import { needlesOf, viewsOf, type Needle } from './encodings.ts'
import type { Disk } from './disk.ts'
import { walk } from './paths.ts'
import { pieceFinder, type Carried } from './pieces.ts'
import { secretValues } from './secret-values.ts'

/** Where a value of a secret file was found in a request. Never the value. */
export interface Leak {
  /** The secret file, as the policy spells it. */
  readonly file: string
  /** The key in that file; empty for a line without one. */
  readonly key: string
  /** Where in the request, as `arguments.text`. */
  readonly where: string
}

/** Looks for secret values in requests. */
interface Secrets {
  /**
   * Every place of a value tree that carries a secret, in any known encoding, keys included. With `carried`, what the
   * session has carried out before, also a secret whose last part this is; the parts are marked there.
   */
  leaksIn(value: unknown, carried?: Carried): readonly Leak[]
}

/** The secrets of the moment, or why they cannot be known, in which case nothing may run. */
export type SecretsState =
  { readonly ok: true; readonly secrets: Secrets } | { readonly ok: false; readonly detail: string }

const MAX_FILE_BYTES = 1024 * 1024
const MAX_DEPTH = 200
/** With more needles than this, an index by their first characters is quicker than looking for one after the other. */
const MANY_NEEDLES = 200
const GRAM = 8
/** Characters at either end of a long text that are joined to what stands beside it. */
const MIN_WINDOW = 512
const MAX_WINDOW = 16 * 1024
/** How many times longer than a needle its part of a text may be: separators, escapes. */
const SPREADING = 6

/**
 * Reads the secret files of a policy, and again whenever one changes. A file that does not exist has no values; one that
 * is there and cannot be read makes the answer a failure. Spec: section 5.
 */
export function openSecrets(files: readonly string[], root: string, disk: Disk): () => SecretsState {
  const read = files.map((file) => rememberingFile(file, root, disk))
  let last: readonly (readonly Needle[] | string)[] = []
  let state: SecretsState | undefined
  return () => {
    const parts = read.map((current) => current())
    if (state !== undefined && parts.every((part, index) => part === last[index])) return state
    last = parts
    state = stateOf(parts)
    return state
  }
}

function stateOf(parts: readonly (readonly Needle[] | string)[]): SecretsState {
  const detail = parts.find((part) => typeof part === 'string')
  if (detail !== undefined) return { ok: false, detail }
  return { ok: true, secrets: secretsOf(parts.flatMap((part) => (typeof part === 'string' ? [] : part))) }
}

/** The needles of one file, the same list as long as the file does not change; a text says what is wrong. */
function rememberingFile(file: string, root: string, disk: Disk): () => readonly Needle[] | string {
  const none: readonly Needle[] = []
  let seen = ''
  let needles: readonly Needle[] | string = none
  return () => {
    const found = walk(file, root, { disk, root })
    if (found.kind === 'refused') return `${file}: ${found.detail}`
    if (found.entry === undefined) return none
    const version = `${found.path} ${found.entry.version}`
    if (version === seen) return needles
    const bytes = found.entry.kind === 'file' ? disk.read(found.path, MAX_FILE_BYTES) : undefined
    // Not remembered when it fails: the next request looks again.
    if (bytes === undefined) return `${file}: it is no readable file of at most 1 MiB`
    seen = version
    needles = secretValues(new TextDecoder().decode(bytes)).flatMap((value) => needlesOf(file, value))
    return needles
  }
}

/** Secrets out of needles: the encoded forms of each value. */
function secretsOf(needles: readonly Needle[]): Secrets {
  const pieces = pieceFinder(needles.filter(({ isValue }) => isValue))
  const find = needles.length > MANY_NEEDLES ? indexed(needles) : oneByOne(needles)
  const longest = needles.reduce((length, { text }) => Math.max(length, text.length), 0)
  const window = Math.min(Math.max(MIN_WINDOW, longest * SPREADING), MAX_WINDOW)
  return {
    leaksIn: (value, carried) => {
      if (needles.length === 0) return []
      const found = texts(value, '', 0)
      const across = spread(found, window)
      const looks = apart([...found, ...across]).map(viewsOf)
      const isClean = looks.every((views) => find(views).length === 0)
      if (isClean) {
        const shown = looks.flatMap(({ plain }) => plain)
        return carried === undefined ? [] : inParts(pieces(shown, carried))
      }
      const leaks = leaksAmong(found, find)
      return leaks.length > 0 ? leaks : leaksAmong(across, find)
    },
  }
}

const inParts = (values: readonly Needle[]): readonly Leak[] =>
  values.map(({ file, key }) => ({ file, key, where: 'parts, here or in earlier calls' }))

function leaksAmong(found: readonly Found[], find: Find): readonly Leak[] {
  const leaks = new Map<string, Leak>()
  for (const { text, where } of found) {
    for (const { file, key } of find(viewsOf(text))) leaks.set(JSON.stringify([file, key, where]), { file, key, where })
  }
  return [...leaks.values()]
}

type Find = (views: Readonly<Record<Needle['view'], readonly string[]>>) => readonly Needle[]

const oneByOne =
  (needles: readonly Needle[]): Find =>
  (views) =>
    needles.filter(({ view, text }) => views[view].some((each) => each.includes(text)))

function indexed(needles: readonly Needle[]): Find {
  const byStart = new Map<string, Needle[]>()
  for (const needle of needles) {
    const start = `${needle.view}${needle.text.slice(0, GRAM)}`
    const others = byStart.get(start)
    if (others === undefined) byStart.set(start, [needle])
    else others.push(needle)
  }
  return (views) => {
    const found: Needle[] = []
    const all = Object.entries(views).flatMap(([name, texts]) => texts.map((text) => [name, text] as const))
    for (const [view, each] of all) {
      for (let at = 0; at + GRAM <= each.length; at++) {
        const candidates = byStart.get(`${view}${each.slice(at, at + GRAM)}`)
        if (candidates !== undefined) found.push(...candidates.filter(({ text }) => each.startsWith(text, at)))
      }
    }
    return found
  }
}

/** A text of a request and where it is. */
interface Found {
  readonly text: string
  readonly where: string
  readonly isKey?: boolean
}

/** Every text of a value tree: strings, numbers as text, keys. */
function texts(value: unknown, where: string, depth: number): readonly Found[] {
  if (typeof value === 'string') return [{ text: value, where }]
  if (typeof value === 'number' || typeof value === 'bigint') return [{ text: String(value), where }]
  if (typeof value !== 'object' || value === null) return []
  if (depth > MAX_DEPTH) return [{ text: JSON.stringify(value), where }]
  if (Array.isArray(value)) {
    const spelled = bytesAsText(value.filter((each) => typeof each === 'number'))
    const members = value.flatMap((each) => texts(each, `${where}[]`, depth + 1))
    return spelled === undefined ? members : [...members, { text: spelled, where }]
  }
  return Object.entries(value).flatMap(([key, member]) => [
    // A key may itself be the value, so it is not named where it looks like one.
    { text: key, where: `${where} (a key)`, isKey: true },
    ...texts(member, /^[a-z_]{1,20}$/i.test(key) ? `${where}.${key}` : `${where}[]`, depth + 1),
  ])
}

/** Long texts by themselves and all short ones as lines of one: most calls carry nothing, and one look is enough. */
function apart(found: readonly Found[]): readonly string[] {
  const long: string[] = []
  let short = ''
  for (const { text } of found) {
    if (text.length > MIN_WINDOW) long.push(text)
    else short += `${text}\n`
  }
  return [...long, short]
}

/** All texts of a call in their order as one, and the values alone: a value may be spread over several arguments. */
function spread(found: readonly Found[], window: number): readonly Found[] {
  const values = found.filter(({ isKey }) => isKey !== true)
  return [values, found].flatMap((parts) => joined(parts, window)).map((text) => ({ text, where: 'several arguments' }))
}

/** Parts in one text, apart from the inner part of a long one, which was looked through by itself. */
function joined(parts: readonly Found[], window: number): readonly string[] {
  const runs: string[] = []
  let run = ''
  for (const { text } of parts) {
    if (text.length <= 2 * window) run += text
    else {
      runs.push(run + text.slice(0, window))
      run = text.slice(-window)
    }
  }
  return [...runs, run]
}
