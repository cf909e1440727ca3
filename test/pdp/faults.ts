import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { ReasonCode } from '../../src/core/reasons.ts'
import { answerBytes, plays, type HostileHandler } from '../hostile-server.ts'
import { NEAR_MISSES, OTHER_PROTOCOLS } from './near-misses.ts'

export interface Fault {
  readonly what: string
  readonly play: HostileHandler
  readonly code: ReasonCode
  /** Milliseconds that the decision has. @defaultValue 5000 */
  readonly deadlineMs?: number
  /** How often it is asked: twice where the connection is lost before the head of an answer, and on a 503. @defaultValue 1 */
  readonly asked?: number
}

/** The question of every fault has two evaluations, and this would permit both. */
export const GOOD = '{"evaluations":[{"decision":true},{"decision":true}]}'
const good = Buffer.from(GOOD)
const invalid = 'pdp.answer_invalid'
const owed = 'pdp.obligation_unknown'

const body = (what: string, text: unknown, code: ReasonCode = invalid): Fault => ({ what, play: plays(text), code })
const item = (what: string, text: string, code: ReasonCode = invalid): Fault =>
  body(what, `{"evaluations":[{"decision":true},${text}]}`, code)
const head = (what: string, headers: Readonly<Record<string, string>>, code: ReasonCode = invalid): Fault => ({
  what,
  play: plays(GOOD, { headers }),
  code,
})
const status = (number: number, code: ReasonCode, text: unknown = GOOD): Fault => ({
  what: `status ${number} with a good body`,
  play: plays(text, { status: number }),
  code,
})
const raw = (what: string, bytes: string | Buffer, code: ReasonCode): Fault => ({
  what,
  play: (wire) => {
    wire.end(bytes)
  },
  code,
})
const late = (what: string, play: HostileHandler): Fault => ({ what, play, code: 'pdp.timeout', deadlineMs: 120 })

const decisions: readonly Fault[] = [
  item('"true" as a decision', '{"decision":"true"}'),
  item('"false" as a decision', '{"decision":"false"}'),
  item('"TRUE" as a decision', '{"decision":"TRUE"}'),
  item('"permit" as a decision', '{"decision":"permit"}'),
  item('1 as a decision', '{"decision":1}'),
  item('0 as a decision', '{"decision":0}'),
  item('null as a decision', '{"decision":null}'),
  item('a list with true as a decision', '{"decision":[true]}'),
  item('an object as a decision', '{"decision":{"value":true}}'),
  item('an empty object as a decision', '{"decision":{}}'),
  item('an item without a decision', '{}'),
  item('an item with another spelling of decision', '{"Decision":true}'),
  item('an item with only a context', '{"context":{"reason":"owner"}}'),
  item('a bare true as an item', 'true'),
  item('null as an item', 'null'),
  item('text as an item', '"true"'),
  item('a list as an item', '[{"decision":true}]'),
  item('a context that is text', '{"decision":true,"context":"fine"}'),
  item('a context that is a list', '{"decision":true,"context":[]}'),
  item('a context that is null', '{"decision":true,"context":null}'),
  item('an error beside true', '{"decision":true,"context":{"error":{"status":500,"message":"partial"}}}', 'pdp.error'),
  item('an error beside false', '{"decision":false,"context":{"error":{"status":404}}}', 'pdp.error'),
  item('an error that is text beside true', '{"decision":true,"context":{"error":"partial data"}}', 'pdp.error'),
  item('an error that is null beside true', '{"decision":true,"context":{"error":null}}', 'pdp.error'),
  item('an error that is false beside true', '{"decision":true,"context":{"error":false}}', 'pdp.error'),
  item('an error beside the decision', '{"decision":true,"error":{"status":500}}', 'pdp.error'),
  item('an error that is text beside the decision', '{"decision":true,"error":"partial data"}', 'pdp.error'),
  item('several errors beside the decision', '{"decision":true,"errors":["partial data"]}', 'pdp.error'),
  item('several errors in the context', '{"decision":true,"context":{"errors":[{"status":500}]}}', 'pdp.error'),
  item('a number as an error beside the decision', '{"decision":true,"error":0}', 'pdp.error'),
  item('an error beside a reason', '{"decision":true,"context":{"reason":"ok","error":{}}}', 'pdp.error'),
]

const shapes: readonly Fault[] = [
  body('no decisions', '{"evaluations":[]}', 'pdp.count_mismatch'),
  body('one decision too few', '{"evaluations":[{"decision":true}]}', 'pdp.count_mismatch'),
  body(
    'one decision too many',
    '{"evaluations":[{"decision":true},{"decision":true},{"decision":true}]}',
    'pdp.count_mismatch',
  ),
  body('one false alone, as of a short-circuit', '{"evaluations":[{"decision":false}]}', 'pdp.count_mismatch'),
  body('decisions by name in place of a list', '{"evaluations":{"e2":{"decision":true},"e1":{"decision":true}}}'),
  body('an object that counts like a list', '{"evaluations":{"0":{"decision":true},"1":{"decision":true},"length":2}}'),
  body('a top-level decision alone', '{"decision":true}'),
  body('a top-level decision beside no list', '{"decision":true,"evaluations":null}'),
  body('a top-level decision beside an empty list', '{"decision":true,"evaluations":[]}', 'pdp.count_mismatch'),
  body('evaluations that are text', '{"evaluations":"true,true"}'),
  body('evaluations that are true', '{"evaluations":true}'),
  body('evaluations in another spelling', '{"Evaluations":[{"decision":true},{"decision":true}]}'),
  body('evaluations one level down', `{"data":${GOOD}}`),
  body('a bare list', '[{"decision":true},{"decision":true}]'),
  body('a list in a list', '{"evaluations":[[{"decision":true},{"decision":true}]]}', 'pdp.count_mismatch'),
  body('null', 'null'),
  body('true', 'true'),
  body('text that holds a good answer', JSON.stringify(GOOD)),
  body('an error object with 200', '{"code":"validation_error","message":"no"}'),
  item('an obligation in the context', '{"decision":true,"context":{"obligations":[{"id":"mfa"}]}}', owed),
  item('an obligation beside the decision', '{"decision":true,"obligations":"mfa"}', owed),
  item('an obligation and an error', '{"decision":true,"obligations":[1],"context":{"error":{}}}', 'pdp.error'),
  body('an error beside the list', GOOD.replace('{', '{"error":{"status":500},'), 'pdp.error'),
  body('errors beside the list', GOOD.replace('{', '{"errors":["partial data"],'), 'pdp.error'),
  body('an error in a context beside the list', GOOD.replace('{', '{"context":{"error":"partial"},'), 'pdp.error'),
  body('the question sent back', '{"evaluations":[{"subject":{}},{"subject":{}}]}'),
]

const texts: readonly Fault[] = [
  body('an empty body', ''),
  body('white space', '  \n'),
  body('a good answer and one more brace', `${GOOD}}`),
  body('two good answers', `${GOOD}${GOOD}`),
  body('a good answer cut short', GOOD.slice(0, -1)),
  body('a comment', `/* fine */${GOOD}`),
  body('a trailing comma', '{"evaluations":[{"decision":true},{"decision":true},]}'),
  body('single quotes', GOOD.replaceAll('"', "'")),
  body('bare keys', '{evaluations:[{decision:true},{decision:true}]}'),
  body('a Python literal', '{"evaluations":[{"decision":True},{"decision":True}]}'),
  body('NaN beside a good answer', GOOD.replace('{', '{"ms":NaN,')),
  body('Infinity beside a good answer', GOOD.replace('{', '{"ms":Infinity,')),
  body('a number beyond a double', GOOD.replace('{', '{"ms":1e400,')),
  body('a leading zero', GOOD.replace('{', '{"ms":007,')),
  body('a raw control character', GOOD.replace('{', '{"a":"\u0001",')),
  body('HTML with 200', '<html><body>Sign in</body></html>'),
  body('a callback around it', `callback(${GOOD})`),
  body('an anti-hijacking prefix', `)]}',\n${GOOD}`),
  body('JSON lines', '{"decision":true}\n{"decision":true}\n'),
  body('server-sent events', `data: ${GOOD}\n\n`),
  item('a decision twice, false first', '{"decision":false,"decision":true}'),
  item('a decision twice, true first', '{"decision":true,"decision":false}'),
  item('a decision twice, once escaped', '{"decision":false,"d\\u0065cision":true}'),
  body('the list twice', `{"evaluations":[{"decision":false},{"decision":false}],${GOOD.slice(1)}`),
  body('a duplicate key elsewhere', GOOD.replace('{', '{"a":{"b":1,"b":2},')),
  item('__proto__ with a decision', '{"__proto__":{"decision":true}}'),
  item('an escaped __proto__', '{"\\u005f_proto__":{"decision":true}}'),
  body('__proto__ with the list', `{"__proto__":${GOOD}}`),
  body('a constructor key', GOOD.replace('{', '{"constructor":{"prototype":{"decision":true}},')),
  body('a lone surrogate, escaped', GOOD.replace('{', '{"note":"\\ud800",')),
  body('a lone surrogate in a key', GOOD.replace('{', '{"\\udc00":1,')),
  body('100 000 open brackets', '['.repeat(100_000)),
  body('150 levels beside a good answer', GOOD.replace('{', `{"a":${'['.repeat(150)}${']'.repeat(150)},`)),
  body('a byte-order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), good])),
  body('UTF-16, little endian', Buffer.from(GOOD, 'utf16le')),
  body('UTF-16 with its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(GOOD, 'utf16le')])),
  body('a byte that is not UTF-8', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), good.subarray(1)])),
  body('an overlong slash', Buffer.from(GOOD.replace('{', '{"a":"\u00c0\u00af",'), 'latin1')),
  body('a surrogate in UTF-8', Buffer.from(GOOD.replace('{', '{"a":"\u00ed\u00a0\u0080",'), 'latin1')),
  body('a cut UTF-8 sequence', Buffer.from(GOOD.replace('{', '{"a":"\u00e2\u0082",'), 'latin1')),
  body('a zero byte at the end', `${GOOD}\0`),
]

const heads: readonly Fault[] = [
  head('HTML by name', { 'content-type': 'text/html' }),
  head('text/json', { 'content-type': 'text/json' }),
  head('text/plain', { 'content-type': 'text/plain; charset=utf-8' }),
  head('a JSON dialect by name', { 'content-type': 'application/problem+json' }),
  head('application/jsonp', { 'content-type': 'application/jsonp' }),
  head('UTF-16 as the charset', { 'content-type': 'application/json; charset=utf-16' }),
  head('another charset in quotes', { 'content-type': 'application/json;v=1; Charset = "iso-8859-1"' }),
  head('two charsets', { 'content-type': 'application/json; charset=utf-8; charset=utf-16le' }),
  head('an empty charset', { 'content-type': 'application/json; charset=' }),
  head('two types in one header', { 'content-type': 'text/html, application/json' }),
  head('two types, JSON first', { 'content-type': 'application/json, text/html' }),
  head('JSON as a parameter only', { 'content-type': 'text/html; application/json' }),
  head('no content type', { 'content-type': '' }),
  head('two headers of type', { 'Content-type': 'text/html' }),
  head('an encoding that is only claimed', { 'content-encoding': 'gzip' }),
  head('an encoding that nobody knows', { 'content-encoding': 'none' }),
  head('two encodings', { 'content-encoding': 'identity, gzip' }),
  head('another request id', { 'x-request-id': 'another' }),
  head('an empty request id', { 'x-request-id': ' ' }),
  {
    what: 'our request id and another one',
    play: (wire, { headers: { 'x-request-id': id = '' } }) => {
      wire.write(answerBytes(GOOD, { headers: { 'x-request-id': id, 'X-Request-ID': 'another' } }))
    },
    code: invalid,
  },
  { what: 'a gzip body', play: plays(gzipSync(good), { headers: { 'content-encoding': 'gzip' } }), code: invalid },
  { what: 'a gzip body that is not announced', play: plays(gzipSync(good)), code: invalid },
  {
    what: 'a br body',
    play: plays(brotliCompressSync(good), { headers: { 'content-encoding': 'br' } }),
    code: invalid,
  },
  {
    what: 'a deflate body',
    play: plays(deflateSync(good), { headers: { 'content-encoding': 'deflate' } }),
    code: invalid,
  },
  {
    what: 'a gzip bomb',
    play: plays(gzipSync(Buffer.alloc(20_000_000, ' ')), { headers: { 'content-encoding': 'gzip' } }),
    code: invalid,
  },
  head('32 KiB of headers', { 'x-filler': 'x'.repeat(32 * 1024) }),
]

const statuses: readonly Fault[] = [
  ...[201, 202, 203, 204, 205, 206, 226, 299].map((each) => status(each, invalid, each === 204 ? '' : GOOD)),
  ...[300, 301, 302, 303, 304, 305, 307, 308].map((each): Fault => ({
    what: `a ${each} to a good answer`,
    play: (wire, request, turn) => {
      const moved = turn === 1 && each !== 304
      wire.write(
        moved
          ? answerBytes('', { status: each, headers: { location: '/good' } })
          : answerBytes(each === 304 ? '' : GOOD, { status: each === 304 ? 304 : 200 }),
      )
    },
    code: invalid,
  })),
  status(400, invalid),
  status(401, 'pdp.unauthenticated'),
  status(402, invalid),
  status(403, 'pdp.unauthenticated'),
  status(404, invalid),
  status(409, invalid),
  status(422, invalid),
  status(429, 'pdp.rate_limited'),
  status(451, invalid),
  status(500, 'pdp.unavailable'),
  status(501, 'pdp.unavailable'),
  status(502, 'pdp.unavailable'),
  { ...status(503, 'pdp.unavailable'), asked: 2 },
  {
    what: 'a 503 that says when to come back',
    play: plays(GOOD, { status: 503, headers: { 'retry-after': '1' } }),
    code: 'pdp.unavailable',
  },
  {
    what: 'a 503 and then a 500',
    play: (wire, _request, turn) => {
      wire.write(answerBytes(GOOD, { status: turn === 1 ? 503 : 500 }))
    },
    code: 'pdp.unavailable',
    asked: 2,
  },
  {
    what: 'a 503 and then a body that is cut',
    play: (wire, _request, turn) => {
      if (turn === 1) wire.write(answerBytes(GOOD, { status: 503 }))
      else wire.end(answerBytes(good, {}).subarray(0, -10))
    },
    code: 'pdp.unavailable',
    asked: 2,
  },
  {
    what: 'a 429 that says when to come back',
    play: plays(GOOD, { status: 429, headers: { 'retry-after': '0' } }),
    code: 'pdp.rate_limited',
  },
  {
    what: 'a 401 that asks for another token',
    play: plays(GOOD, { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }),
    code: 'pdp.unauthenticated',
  },
  ...[405, 406, 408, 410, 411, 413, 414, 415, 418, 421, 425, 426, 428, 431].map((each) => status(each, invalid)),
  ...[505, 506, 507, 508, 510, 511, 520, 521, 522, 524, 530].map((each) => status(each, 'pdp.unavailable')),
  status(504, 'pdp.unavailable'),
  status(599, 'pdp.unavailable'),
  status(999, 'pdp.unavailable'),
  {
    what: 'a 403 page of a proxy',
    play: plays('<h1>403 Forbidden</h1>', { status: 403, headers: { 'content-type': 'text/html' } }),
    code: 'pdp.filtered',
  },
  {
    what: 'a 401 page of a sign-in',
    play: plays('<form>', { status: 401, headers: { 'content-type': 'Text/HTML; charset=utf-8' } }),
    code: 'pdp.filtered',
  },
  {
    what: 'a 407 page of a proxy',
    play: plays('<h1>Proxy</h1>', { status: 407, headers: { 'content-type': 'text/html' } }),
    code: 'pdp.filtered',
  },
  {
    what: 'a 401 in plain text',
    play: plays('Unauthorized', { status: 401, headers: { 'content-type': 'text/plain' } }),
    code: 'pdp.unauthenticated',
  },
  {
    what: 'a 503 whose body is cut',
    play: (wire) => {
      wire.end(answerBytes(GOOD, { status: 503, headers: { 'content-length': '9000' } }))
    },
    code: 'pdp.unavailable',
    asked: 2,
  },
  {
    what: 'a 401 with an endless body',
    play: (wire) => {
      pour(wire, answerBytes('', { status: 401, headers: { 'content-length': '900000000' } }))
    },
    code: 'pdp.unauthenticated',
  },
]

/** Writes the head and then spaces for as long as the other side takes them. */
function pour(wire: Parameters<HostileHandler>[0], first: Buffer): void {
  const block = Buffer.alloc(64 * 1024, ' ')
  wire.write(first)
  const more = (): void => {
    while (!wire.destroyed && wire.write(block));
  }
  wire.on('drain', more)
  more()
}

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const CHUNKED = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'

const sizes: readonly Fault[] = [
  {
    what: '100 MB with their length',
    play: (wire) => {
      pour(wire, answerBytes(GOOD, { headers: { 'content-length': '100000000' } }))
    },
    code: invalid,
  },
  body('a byte over 1 MiB', `${GOOD}${' '.repeat(1024 * 1024 - GOOD.length + 1)}`),
  {
    what: '2 MiB on a connection that closes',
    play: (wire) => {
      wire.end(answerBytes(`${GOOD}${' '.repeat(2 * 1024 * 1024)}`, { headers: { connection: 'close' } }))
    },
    code: invalid,
  },
  {
    what: 'an endless body with a length',
    play: (wire) => {
      pour(wire, answerBytes(GOOD, { headers: { 'content-length': '9000000000' } }))
    },
    code: invalid,
  },
  {
    what: 'an endless body without a length',
    play: (wire) => {
      pour(wire, answerBytes(GOOD, { headers: { 'content-length': '', connection: 'close' } }))
    },
    code: invalid,
  },
  {
    what: 'endless chunks',
    play: (wire) => {
      const block = chunk(' '.repeat(32 * 1024))
      wire.write(CHUNKED)
      const more = (): void => {
        while (!wire.destroyed && wire.write(block));
      }
      wire.on('drain', more)
      more()
    },
    code: invalid,
  },
  raw('a length that is too short', answerBytes(GOOD, { headers: { 'content-length': '20' } }), invalid),
  raw('a length of zero', answerBytes(GOOD, { headers: { 'content-length': '0' } }), invalid),
  raw('a length that is too long', answerBytes(GOOD, { headers: { 'content-length': '200' } }), 'pdp.unavailable'),
  raw(
    'a length that is too long on a connection that closes',
    answerBytes(GOOD, { headers: { 'content-length': '200', connection: 'close' } }),
    invalid,
  ),
  raw('a length that is not a number', answerBytes(GOOD, { headers: { 'content-length': 'many' } }), invalid),
  raw('a negative length', answerBytes(GOOD, { headers: { 'content-length': '-1' } }), invalid),
  raw('two lengths', answerBytes(GOOD, { headers: { 'Content-Length': '10' } }), invalid),
  raw(
    'a transfer that is said to be gzip',
    Buffer.concat([Buffer.from(CHUNKED.replace('chunked', 'gzip, chunked')), Buffer.from(`${chunk(GOOD)}0\r\n\r\n`)]),
    invalid,
  ),
  raw('a length beside chunks', answerBytes(GOOD, { headers: { 'transfer-encoding': 'chunked' } }), invalid),
  raw('a chunk that lies about its size', `${CHUNKED}4\r\n${GOOD}\r\n0\r\n\r\n`, invalid),
  raw('chunks without the last one', `${CHUNKED}${chunk(GOOD)}`, 'pdp.unavailable'),
]

const cuts: readonly Fault[] = [
  ...['', 'H', 'HTTP/1.1', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'].map(
    (sent) => ({
      ...raw(`a connection cut after ${JSON.stringify(sent)}`, sent, 'pdp.unavailable'),
      asked: 2,
    }),
  ),
  raw('a connection cut after the head', answerBytes(good, {}).subarray(0, -GOOD.length), 'pdp.unavailable'),
  raw('a connection cut in the body', answerBytes(good, {}).subarray(0, -10), 'pdp.unavailable'),
  {
    what: 'a connection reset at once',
    play: (wire) => {
      wire.resetAndDestroy()
    },
    code: 'pdp.unavailable',
    asked: 2,
  },
  {
    what: 'a connection reset in the body',
    play: (wire) => {
      wire.write(answerBytes(good, {}).subarray(0, -10), () => setTimeout(() => wire.resetAndDestroy(), 20))
    },
    code: 'pdp.unavailable',
  },
  raw('a banner of another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', invalid),
  raw('an alert of TLS', Buffer.from([0x15, 3, 1, 0, 2, 2, 70]), invalid),
  raw('HTTP/0.9', GOOD, invalid),
  raw('a status that is not a number', 'HTTP/1.1 OK\r\n\r\n', invalid),
  raw('a header without a name', `HTTP/1.1 200 OK\r\n: x\r\ncontent-length: 2\r\n\r\n{}`, invalid),
  {
    ...raw(
      '100 Continue that nobody asked for',
      `HTTP/1.1 100 Continue\r\n\r\n${answerBytes(GOOD).toString()}`,
      'pdp.unavailable',
    ),
    asked: 2,
  },
  {
    ...raw(
      'an upgrade that nobody asked for',
      'HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n',
      'pdp.unavailable',
    ),
    asked: 2,
  },
]

const delays: readonly Fault[] = [
  late('no answer at all', () => undefined),
  late('a head that stops', (wire) => wire.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n')),
  late('a body that stops', (wire) => wire.write(answerBytes(good, {}).subarray(0, -1))),
  late('early hints and then nothing', (wire) => wire.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')),
  late('a good answer that comes too late', (wire) => setTimeout(() => wire.write(answerBytes(GOOD)), 400)),
  late('a body that drips', (wire) => {
    const bytes = answerBytes(good, {})
    wire.write(bytes.subarray(0, -GOOD.length))
    let at = bytes.length - GOOD.length
    const drip = setInterval(() => wire.write(bytes.subarray(at, ++at)), 20)
    wire.on('close', () => {
      clearInterval(drip)
    })
  }),
  late('a head that drips', (wire) => {
    const bytes = answerBytes(good, {})
    let at = 0
    const drip = setInterval(() => wire.write(bytes.subarray(at, ++at)), 20)
    wire.on('close', () => {
      clearInterval(drip)
    })
  }),
]

const nearMisses: readonly Fault[] = [
  ...NEAR_MISSES.map(({ what, text, error }) => body(what, text, error === true ? 'pdp.error' : invalid)),
  ...OTHER_PROTOCOLS.map(({ what, text }) => body(what, text)),
]

/** Everything that a PDP, or whatever sits in its place, may do wrong on an open connection. */
export const FAULTS: readonly Fault[] = [
  ...decisions,
  ...shapes,
  ...texts,
  ...heads,
  ...statuses,
  ...sizes,
  ...cuts,
  ...delays,
  ...nearMisses,
]
