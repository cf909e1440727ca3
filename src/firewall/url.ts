/** An address whose every reader sees the same parts. */
export interface StrictUrl {
  readonly scheme: 'http' | 'https'
  /** Lower case; an IPv6 address keeps its brackets. */
  readonly host: string
  /** The effective port. */
  readonly port: number
  /** Starts with `/`. */
  readonly path: string
  /** With its `?`; empty when there is none. */
  readonly query: string
  /** As spelled, with `/` for an empty path. */
  readonly href: string
}

/** An entry of `network.allow`. */
export interface Origin {
  readonly scheme: string
  readonly port: number
  readonly host: string
  /** Any strict subdomain of the host, the host itself excluded. */
  readonly isWildcard: boolean
  /** Segments that the address must start with. */
  readonly segments: readonly string[]
}

const MAX_URL_CHARACTERS = 8 * 1024
const DEFAULT_PORTS: Readonly<Record<StrictUrl['scheme'], number>> = { http: 80, https: 443 }
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const IPV4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/
/** RFC 3986 without user info, with lower-case scheme and host only. */
const SHAPE =
  /^(https?):\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?(\/[!$&-;=@A-Z_a-z~%[\]|]*)?(\?[!$&-;=?@A-Z_a-z~%[\]|/^{}]*)?(#[!$&-;=?@A-Z_a-z~%/]*)?$/

/**
 * Reads an address, or says why not. Strict: nothing is repaired, because what one reader repairs another one reads as
 * another host. The spelled text must fit the grammar first, and WHATWG must then read it as it stands. Spec: 2.5.
 */
export function strictUrl(spelled: string): StrictUrl | string {
  if (spelled.length > MAX_URL_CHARACTERS) return 'the address is too long'
  const parts = SHAPE.exec(spelled)
  if (parts?.[2] === undefined) return 'it is not a plainly spelled http or https address'
  const scheme = parts[1] === 'http' ? 'http' : 'https'
  const host = parts[2]
  const port = Number(parts[3] ?? DEFAULT_PORTS[scheme])
  const { path, query, fragment } = restOf(parts)
  const shownPort = port === DEFAULT_PORTS[scheme] ? '' : `:${port}`
  const href = `${scheme}://${host}${shownPort}${path}${query}${fragment}`
  const problem = hostProblem(host) ?? restProblem(port, path + query + fragment) ?? readProblem(href)
  return problem ?? { scheme, host, port, path, query, href }
}

function restOf(parts: RegExpExecArray): Record<'path' | 'query' | 'fragment', string> {
  const [path = '/', query = '', fragment = ''] = parts.slice(4)
  return { path, query, fragment }
}

function restProblem(port: number, rest: string): string | undefined {
  if (port > 65_535) return 'there is no such port'
  if (/%(?![0-9a-fA-F]{2})/.test(rest)) return 'a percent sign is no encoding'
  // A server that decodes first would read another line, or stop early.
  return /%(?:25)*(?:[01][0-9a-f]|7f)/i.test(rest.split(/[?#]/, 1)[0] ?? '')
    ? 'an encoded control character'
    : undefined
}

function readProblem(href: string): string | undefined {
  return URL.canParse(href) && new URL(href).href === href ? undefined : 'it is not in its canonical spelling'
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[')) return undefined
  const labels = host.split('.')
  if (host.length > 253 || !labels.every((label) => LABEL.test(label))) return 'the host is not plainly spelled'
  // A last label that a number parser accepts makes the whole host an address, in whatever base.
  const isNumeric = /^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')
  return isNumeric && !IPV4.test(host) ? 'the address is not in dotted decimal form' : undefined
}

/** Reads an entry of `network.allow`: `scheme://host[:port][/path]`, the host with a leading `*.` or not. */
export function originOf(entry: string): Origin | string {
  const isWildcard = /^https?:\/\/\*\./.test(entry)
  const url = strictUrl(isWildcard ? entry.replace('*.', '') : entry)
  if (typeof url === 'string') return url
  if (url.query !== '' || url.href.includes('#')) return 'an entry has no query and no fragment'
  if (isWildcard && (!url.host.includes('.') || isAddress(url.host))) return 'the part behind *. must be a domain'
  if (pathProblem(url.path) !== undefined) return 'its path is not plainly spelled'
  const segments = url.path.split('/').filter((segment) => segment !== '')
  return { scheme: url.scheme, port: url.port, host: url.host, isWildcard, segments }
}

/** True for an address instead of a name. */
export const isAddress = (host: string): boolean => host.startsWith('[') || IPV4.test(host)

/** True when an entry of the list lets this address be read. Hosts are compared as text. */
export const isListed = (url: StrictUrl, origins: readonly Origin[]): boolean =>
  origins.some((origin) => fits(url, origin))

/** The origins of a list; an entry that is none lists nothing. */
export const originsOf = (entries: readonly string[]): readonly Origin[] =>
  entries.map(originOf).filter((origin) => typeof origin !== 'string')

function fits(url: StrictUrl, { scheme, port, host, isWildcard, segments }: Origin): boolean {
  if (url.scheme !== scheme || url.port !== port) return false
  if (isWildcard ? !isBelow(url.host, host) : url.host !== host) return false
  if (segments.length === 0) return true
  if (pathProblem(url.path) !== undefined) return false
  const given = url.path.split('/').slice(1)
  return segments.every((segment, index) => given[index] === segment)
}

/** A strict subdomain in plain letters: a name in other letters must be listed as it is, because it may look like another. */
function isBelow(host: string, domain: string): boolean {
  if (!host.endsWith(`.${domain}`) || isAddress(host)) return false
  return !host
    .slice(0, -domain.length)
    .split('.')
    .some((label) => label.startsWith('xn--'))
}

/** Why a path could be read as one above its own start by a server that decodes or trims it. */
function pathProblem(path: string): string | undefined {
  if (/%(?:2f|5c|00|25)/i.test(path)) return 'an encoded slash, backslash, NUL or percent sign'
  const climbs = path.split('/').some((segment) => /^(?:\.|%2e){1,2}(?:;|$)/i.test(segment))
  return climbs || path.includes('//') ? 'an empty or dot segment' : undefined
}
