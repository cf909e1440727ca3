import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { posix } from 'node:path'
import { isListed, originOf, strictUrl, type StrictUrl } from '../src/firewall/url.ts'
import type { FuzzTarget, Random } from './fuzz-target.ts'

const ENTRIES = [
  'https://docs.example.com',
  'http://docs.example.com:8080',
  'https://*.hosted.example',
  'https://api.example.com/v1/items',
] as const
const ORIGINS = ENTRIES.map(originOf).filter((origin) => typeof origin !== 'string')
const SCHEMES = [
  'https://',
  'https://',
  'http://',
  'HTTPS://',
  'https:',
  'https:///',
  'ftp://',
  'file://',
  ' https://',
  '//',
  'javascript:',
] as const
const HOSTS = [
  ...([
    'docs.example.com',
    'docs.example.com',
    'api.example.com',
    'x.hosted.example',
    'hosted.example',
    'evil.example',
    'evilhosted.example',
  ] as const),
  ...([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'docs.example.com.',
    'docs.example.com.evil.example',
  ] as const),
  ...([
    'Docs.Example.Com',
    'docs%2eexample.com',
    'dócs.example.com',
    'docs.exámple.com',
    'xn--dcs-1na.example.com',
    'docs_x.example.com',
    '',
    '-a.example',
  ] as const),
  ...([
    'docs.example.com\t',
    'docs.example.com ',
    'docs\u3002example.com',
    'docs.example.com\u0000',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '09.1.1.1',
  ] as const),
] as const
const BEFORE = [
  '',
  '',
  '',
  '',
  'docs.example.com@',
  'user:pw@',
  '@',
  'docs.example.com:443@',
  'docs.example.com\\@',
  'a%40',
] as const
const PORTS = ['', '', '', ':443', ':8080', ':0443', ':', ':99999', ':0', ':80', ':+443', ':44３'] as const
const PATHS = [
  ...([
    '/',
    '/v1/items',
    '/v1/items/',
    '/v1',
    '/v1itemsx',
    '/..',
    '/.',
    '/%2e%2e',
    '/%2E.',
    '/..%2f',
    '/%5c',
    '\\',
    '/;',
    '//',
    '/a b',
    '/%',
  ] as const),
  ...([
    '/%zz',
    '/%00',
    '/é',
    '/a',
    '/v1/items/../..',
    '/..;/',
    '/%252e',
    '?',
    '?q=1',
    '?https://docs.example.com/',
    '#',
    '#@docs.example.com/',
  ] as const),
  ...(['#x', '/{a}', '/[a]', '/|', '/^', '/`', '/"', '/<', '/$&', "/'", '/~', '\n', '\t', '/@', '/:80'] as const),
] as const

/** Addresses in every bad spelling; WHATWG and curl say which host they would ask for what. */
export function urlTarget(mostAsked: number): FuzzTarget {
  let waiting = new Map<string, StrictUrl>()
  const counts = { accepted: 0, listed: 0, refused: 0, curl: 0 }
  return {
    check: (random) => {
      const spelled = spelling(random)
      const url = strictUrl(spelled)
      if (typeof url === 'string') {
        counts.refused++
        return undefined
      }
      counts.accepted++
      if (counts.curl + waiting.size < mostAsked) waiting.set(spelled, url)
      const isOpen = isListed(url, ORIGINS)
      if (isOpen) counts.listed++
      return whatwg(spelled, url, isOpen)
    },
    settle: async () => {
      const batch = [...waiting]
      waiting = new Map()
      counts.curl += batch.length
      return batch.length === 0 ? [] : asCurl(batch)
    },
    counts: () => counts,
    close: () => undefined,
  }
}

/** Each part is good half of the time: with five bad ones nothing is ever let through. */
function spelling(random: Random): string {
  const part = <T extends string>(good: string, all: readonly [T, ...T[]]): string =>
    random.chance(0.6) ? good : random.one(all)
  const host = random.one(['docs.example.com', 'api.example.com', 'x.hosted.example'] as const)
  const path = random.chance(0.4) ? '/v1/items' : ''
  const rest = random.several(PATHS, 3).join('')
  return part('https://', SCHEMES) + part('', BEFORE) + part(host, HOSTS) + part('', PORTS) + path + rest
}

function whatwg(spelled: string, url: StrictUrl, isOpen: boolean): string | undefined {
  const read = new URL(spelled)
  const port = read.port === '' ? (read.protocol === 'https:' ? 443 : 80) : Number(read.port)
  const theirs = [read.protocol, read.hostname, port, read.pathname, read.search, read.username, read.password]
  const ours = [`${url.scheme}:`, url.host, url.port, url.path, url.query === '?' ? '' : url.query, '', '']
  if (JSON.stringify(theirs) !== JSON.stringify(ours)) {
    return `${JSON.stringify(spelled)}: read as ${JSON.stringify(url)}, WHATWG reads ${read.href}`
  }
  return isOpen && !belongs(read, port) ? `${JSON.stringify(spelled)} is listed and should not be` : undefined
}

/** Whether an address belongs to the list, said once more in another way: a server may decode and clean the path. */
function belongs({ protocol, hostname, pathname }: URL, port: number): boolean {
  const origin = `${protocol}//${hostname}:${port}`
  if (origin === 'https://docs.example.com:443' || origin === 'http://docs.example.com:8080') return true
  if (protocol === 'https:' && port === 443 && /^(?:[a-z0-9-]+\.)+hosted\.example$/.test(hostname)) return true
  if (origin !== 'https://api.example.com:443') return false
  return `${posix.normalize(decodeURIComponent(pathname).replaceAll('\\', '/'))}/`.startsWith('/v1/items/')
}

/** Asks curl for all of them through a proxy of ours, which writes down what it was asked and says no. */
async function asCurl(batch: readonly (readonly [string, StrictUrl])[]): Promise<readonly string[]> {
  const asked: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (bytes: Buffer) => {
      asked.push(bytes.toString('latin1').split('\r\n', 1)[0] ?? '')
      socket.end('HTTP/1.1 403 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const exits = await curl(
    port,
    batch.map(([spelled]) => spelled),
  )
  await new Promise((resolve) => server.close(resolve))
  if (exits.length !== batch.length) return [`curl answered ${exits.length} of ${batch.length} addresses`]
  const reached = batch.filter((_, at) => exits[at] !== CURL_MALFORMED)
  if (reached.length !== asked.length) return [`curl asked for ${asked.length} of ${reached.length} addresses`]
  return reached.flatMap(([spelled, url], at) => {
    const expected = requestOf(url)
    return asked[at]?.startsWith(expected) === true
      ? []
      : [`${JSON.stringify(spelled)}: expected ${expected}, curl asks ${asked[at] ?? ''}`]
  })
}

const CURL_MALFORMED = 3

/** What a proxy is asked: a tunnel for https, the address itself for http. */
function requestOf({ scheme, host, port, path, query }: StrictUrl): string {
  if (scheme === 'https') return `CONNECT ${host}:${port} `
  // Nothing behind a question mark is no query, and curl leaves the mark out.
  return `GET http://${host}${port === 80 ? '' : `:${port}`}${path}${query === '?' ? '' : query} `
}

function curl(port: number, urls: readonly string[]): Promise<readonly number[]> {
  const config = urls.map((url) => `url = "${url.replace(/["\\]/g, String.raw`\$&`)}"\noutput = "/dev/null"`).join('\n')
  const args = [
    '-q',
    '-s',
    '-g',
    '--path-as-is',
    '--noproxy',
    '',
    '-x',
    `http://127.0.0.1:${port}`,
    '-w',
    '%{exitcode}\n',
    '-K',
    '-',
  ]
  const child = spawn('curl', args, { env: { PATH: '/usr/bin:/bin' }, stdio: ['pipe', 'pipe', 'ignore'] })
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    child.on('error', reject)
    child.on('close', () => {
      resolve(
        text
          .split('\n')
          .filter((line) => line !== '')
          .map(Number),
      )
    })
    child.stdin.end(config)
  })
}
