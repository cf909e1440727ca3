import { fc, test } from '@fast-check/vitest'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { realDisk } from '../../src/firewall/disk.io.ts'
import { openSecrets, type Leak } from '../../src/firewall/egress.ts'
import { secretValues } from '../../src/firewall/secret-values.ts'
import { demoWorkspace, FAKE_KEY } from './workspace.ts'

const ws = demoWorkspace()
afterAll(() => {
  ws.cleanup()
})
const secretsNow = openSecrets(['.env', 'fake_credentials.txt'], ws.root, realDisk)
function leaks(value: unknown): readonly Leak[] {
  const state = secretsNow()
  if (!state.ok) throw new Error(state.detail)
  return state.secrets.leaksIn(value)
}
const b64 = (text: string): string => Buffer.from(text).toString('base64')
const bits = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => byte.toString(2).padStart(8, '0')).join('')
const backwards = (text: string): string => Array.from(text).reverse().join('')
const hex = (text: string): string => Buffer.from(text).toString('hex')
const percent = (text: string): string =>
  Array.from(text)
    .map((char) => `%${hex(char)}`)
    .join('')

describe('the values of a secret file', () => {
  it.each<[string, string, readonly string[]]>([
    ['a credential', 'API_KEY=abcd1234efgh', ['abcd1234efgh']],
    ['its key in camel case', 'dbPassword: abcd1234efgh', ['abcd1234efgh']],
    ['a longer key', 'AWS_SECRET_ACCESS_KEY=abcd1234efgh', ['abcd1234efgh']],
    ['an export with quotes and a comment', 'export TOKEN="abcd 1234 # efgh" # mine', ['abcd 1234 # efgh']],
    ['a comment behind a bare value', 'TOKEN=abcd1234efgh # mine', ['abcd1234efgh']],
    ['a token of npm', '//registry.example.com/:_authToken=abcd1234efgh', ['abcd1234efgh']],
    ['the password of an address', 'DATABASE=postgres://app:abcd1234efgh@db/x', ['abcd1234efgh']],
    ['such a password, encoded', 'DATABASE=postgres://app:abcd%401234@db/x', ['abcd%401234', 'abcd@1234']],
    ['a token file', 'ghp_abcd1234efgh\n', ['ghp_abcd1234efgh']],
    [
      'a PEM file',
      '-----BEGIN PRIVATE KEY-----\nMIIabcd1234efgh\nabcd5678==\n-----END PRIVATE KEY-----\n',
      ['MIIabcd1234efgh', 'abcd5678=='],
    ],
    ['a byte-order mark and CRLF', '\ufeffAPI_KEY=abcd1234efgh\r\n', ['abcd1234efgh']],
    ['JSON', '{"db": {"password": "abcd1234efgh", "host": "database.local"}}', ['abcd1234efgh']],
    ['JSON with lists', '{"tokens": ["abcd1234efgh", "ijkl5678mnop"]}', ['abcd1234efgh', 'ijkl5678mnop']],
    ['YAML', 'db:\n  password: abcd1234efgh\n  host: database.local\n', ['abcd1234efgh']],
    ['a list in YAML', 'tokens:\n  - abcd1234efgh\n', ['abcd1234efgh']],
    [
      'a .netrc',
      'machine a.test login me password abcd1234efgh',
      ['machine a.test login me password abcd1234efgh', 'abcd1234efgh'],
    ],
    [
      'a PEM key in JSON, whole and by line',
      '{"private_key": "-----BEGIN PRIVATE KEY-----\\nabcd1234efgh\\n"}',
      ['-----BEGIN PRIVATE KEY-----\nabcd1234efgh\n', 'abcd1234efgh'],
    ],
    ['plain configuration', 'NODE_ENV=development\nAPI_URL=http://localhost:3000\n', []],
    ['comments and sections', '# API_KEY=abcd1234efgh\n; x\n[section]\n', []],
    ['a short value', 'API_KEY=abc1234', []],
    ['a placeholder (weakness 33)', 'DB_PASSWORD=changeme\nAPI_KEY=xxxxxxxxxxxx\n', []],
  ])('%s', (_title, text, values) => {
    expect(secretValues(text).map(({ value }) => value)).toEqual(values)
  })

  it('keeps only the first 10,000', () => {
    const lines = Array.from({ length: 10_050 }, (_, index) => `token-number-${index}`)
    expect(secretValues(lines.join('\n'))).toHaveLength(10_000)
  })
})

describe('a value is found', () => {
  it.each<[string, unknown]>([
    ['as it is', FAKE_KEY],
    ['in a sentence', { text: `use ${FAKE_KEY} please` }],
    ['deep inside', { a: [{ b: { c: [`x${FAKE_KEY}`] } }] }],
    ['as a key', { [FAKE_KEY]: 1 }],
    ['percent-encoded', percent(FAKE_KEY)],
    ['percent-encoded twice', percent(percent(FAKE_KEY))],
    ['half percent-encoded, with a broken escape beside it', `%zz%${hex('s')}${FAKE_KEY.slice(1)}`],
    ['in Base64', b64(FAKE_KEY)],
    ['in Base64, one byte further', b64(`x${FAKE_KEY}yz`)],
    ['in Base64, two bytes further', b64(`xy${FAKE_KEY}z`)],
    ['in Base64 for addresses', Buffer.from(`>>>${FAKE_KEY}???`).toString('base64url')],
    ['in Base64 with line breaks', b64(`before ${FAKE_KEY} after`).replaceAll(/(.{10})/g, '$1\n')],
    ['in Base64 in a percent-encoded text', b64(`x${FAKE_KEY}`).replaceAll('=', '%3D')],
    ['in Base64 of two-byte characters', Buffer.from(`x${FAKE_KEY}`, 'utf16le').toString('base64')],
    ['in Base64 of Base64', b64(`x${b64(`y${FAKE_KEY}`)}`)],
    ['in Base64 of percent-encoded text', b64(percent(FAKE_KEY))],
    ['in hexadecimal of Base64', hex(b64(`x${FAKE_KEY}`))],
    ['in hexadecimal', hex(FAKE_KEY)],
    ['in capital hexadecimal', hex(FAKE_KEY).toUpperCase()],
    ['in hexadecimal with colons', hex(FAKE_KEY).replaceAll(/(..)(?=.)/g, '$1:')],
    ['in hexadecimal with blanks', hex(FAKE_KEY).replaceAll(/(..)(?=.)/g, '$1 ')],
    [
      'in JSON escapes',
      Array.from(FAKE_KEY)
        .map((char) => `\\u00${hex(char)}`)
        .join(''),
    ],
    [
      'in JavaScript escapes',
      Array.from(FAKE_KEY)
        .map((char) => `\\x${hex(char)}`)
        .join(''),
    ],
    [
      'in entities',
      Array.from(FAKE_KEY)
        .map((char) => `&#x${hex(char)};`)
        .join(''),
    ],
    ['with quotes inside (weakness 33)', `echo ${FAKE_KEY.slice(0, 6)}"${FAKE_KEY.slice(6, 9)}"'${FAKE_KEY.slice(9)}'`],
    ['with backslashes inside', FAKE_KEY.replaceAll(/(...)/g, '$1\\')],
    ['with separators inside (weakness 33)', Array.from(FAKE_KEY).join('.')],
    ['in another case (weakness 33)', FAKE_KEY.toUpperCase()],
    ['backwards (weakness 33)', Array.from(FAKE_KEY).reverse().join('')],
    ['spread over two members', { a: FAKE_KEY.slice(0, 8), b: FAKE_KEY.slice(8) }],
    ['spread over members far apart', { a: { b: [FAKE_KEY.slice(0, 8)] }, c: { d: FAKE_KEY.slice(8) } }],
    ['as a key and its value', { [FAKE_KEY.slice(0, 8)]: FAKE_KEY.slice(8) }],
    ['spread over the ends of long texts', [`${'x '.repeat(9000)}${FAKE_KEY.slice(0, 8)}`, FAKE_KEY.slice(8)]],
    ['printed in two commands', `echo -n ${FAKE_KEY.slice(0, 12)}; echo "${FAKE_KEY.slice(12)}"`],
    ['printed in two lines', `printf '${FAKE_KEY.slice(0, 12)}' && \nprintf ${FAKE_KEY.slice(12)}`],
    ['in hexadecimal numbers', hex(FAKE_KEY).replaceAll(/(..)/g, '0x$1, ')],
    ['in decimal numbers', `[${[...Buffer.from(FAKE_KEY)].join(', ')}]`],
    ['as a list of numbers', { data: [...Buffer.from(FAKE_KEY)] }],
    ['with joiners that nobody sees', Array.from(FAKE_KEY).join('\u200d')],
    [
      'in full-width letters',
      Array.from(FAKE_KEY, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)).join(''),
    ],
    ['with stars inside', Array.from(FAKE_KEY).join('*')],
    ['with signs inside', Array.from(FAKE_KEY).join('#')],
    ['in Base64 in groups', b64(FAKE_KEY).replaceAll(/(....)(?=.)/g, '$1-')],
    [
      'in Base64 of two-byte characters, the high byte first',
      Buffer.from(FAKE_KEY, 'utf16le').swap16().toString('base64'),
    ],
    ['as quoted-printable', hex(FAKE_KEY).toUpperCase().replaceAll(/(..)/g, '=$1')],
    [
      'as quoted-printable with folded lines',
      hex(FAKE_KEY)
        .replaceAll(/(..)/g, '=$1')
        .replaceAll(/(.{30})/g, '$1=\n'),
    ],
    ['in entities of percent-encoded text', percent(FAKE_KEY).replaceAll('%', '&#37;')],
    ['in percent-encoded escapes', encodeURIComponent(Array.from(FAKE_KEY, (char) => `\\x${hex(char)}`).join(''))],
    ['spread over a list (weakness 33)', [FAKE_KEY.slice(0, 8), FAKE_KEY.slice(8)]],
    ['percent-encoded four times', [1, 2, 3].reduce((text) => encodeURIComponent(text), percent(FAKE_KEY))],
    ['in Base64 behind a path', `https://docs.example.com/search/${b64(b64(FAKE_KEY))}`],
    ['in hexadecimal numbers, percent-encoded', encodeURIComponent(hex(FAKE_KEY).replaceAll(/(..)/g, '0x$1, '))],
    ['in decimal numbers, percent-encoded', encodeURIComponent([...Buffer.from(FAKE_KEY)].join(' '))],
    ['in bits', bits(FAKE_KEY)],
    ['in bits with blanks', bits(FAKE_KEY).replaceAll(/(.{8})/g, '$1 ')],
    ['in code points', Array.from(FAKE_KEY, (char) => `U+00${hex(char)}`).join(' ')],
    [
      'in tags that nobody sees',
      Array.from(FAKE_KEY, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join(''),
    ],
    ['with accents', Array.from(FAKE_KEY).join('\u0301')],
    ['in Base64, backwards', backwards(b64(FAKE_KEY))],
    ['in hexadecimal, backwards', backwards(hex(FAKE_KEY))],
    ['with letters 13 places on', 'fx-qrzb-4s9n1p77r2o05q38'],
    ['with signs 47 places on', 'D<\\56>@\\c7h2`4ff6a3_d5bg'],
    ['packed by gzip, in Base64', gzipSync(FAKE_KEY).toString('base64')],
    ['packed by zlib, in hexadecimal', deflateSync(`key=${FAKE_KEY} and more`).toString('hex')],
    ['in an address (UR-23)', `https://docs.example.com/search?q=API_KEY%3D${FAKE_KEY}`],
  ])('%s', (_title, value) => {
    expect(leaks(value)).toEqual([expect.objectContaining({ file: '.env', key: 'API_KEY' })])
  })

  it('in Base32 (weakness 33)', () => {
    // "xy" + "not-a-real-password-81f3" in Base32.
    expect(leaks('PB4W433UFVQS24TFMFWC24DBONZXO33SMQWTQMLGGM======')).toEqual([
      { file: 'fake_credentials.txt', key: 'password', where: '' },
    ])
  })

  it('names where, but no key of the request that could be the value', () => {
    expect(leaks({ arguments: { text: FAKE_KEY } }).map(({ where }) => where)).toEqual(['.arguments.text'])
    expect(JSON.stringify(leaks({ [FAKE_KEY]: { [FAKE_KEY]: FAKE_KEY } }))).not.toContain(FAKE_KEY)
  })
})

describe('nothing is found in', () => {
  const HARMLESS: Texts = [
    ['the source of a program', readFileSync(new URL('../../src/firewall/egress.ts', import.meta.url), 'utf8')],
    ['a lock file', readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8').slice(0, 200_000)],
    ['prose in another script', 'Здравствуйте, это обычный текст. これは普通の文です。'.repeat(200)],
    ['numbers', Array.from({ length: 2000 }, (_, at) => (at * 37) % 256).join(', ')],
    [
      'bytes',
      Array.from({ length: 2000 }, (_, at) => `0x${((at * 37) % 256).toString(16).padStart(2, '0')}`).join(' '),
    ],
    ['a picture in Base64', Buffer.from(Array.from({ length: 9000 }, (_, at) => (at * at) % 251)).toString('base64')],
    ['a packed text', gzipSync('nothing to see here, only a text').toString('base64')],
    ['what only starts as if it were packed', `H4sI${'x'.repeat(40)}`],
    ['bits', '0110'.repeat(500)],
    ['the beginning of a value', { a: FAKE_KEY.slice(0, 10), b: 'other' }],
    ['the parts of a value with another between them', [FAKE_KEY.slice(0, 10), 'x9', FAKE_KEY.slice(10)]],
    ['many escapes', '%41\\x41&#65;=41=42 65, 66, "a" echo b '.repeat(500)],
  ]
  it.each(HARMLESS)('%s', (_title, value) => {
    expect(leaks({ id: 'c1', tool: 'create', arguments: { path: 'src/a.ts', file_text: value } })).toEqual([])
  })

  it('a write of 40 KB, within a moment', () => {
    const text = readFileSync(new URL('../../src/firewall/request.ts', import.meta.url), 'utf8')
      .repeat(6)
      .slice(0, 40_000)
    const times = Array.from({ length: 15 }, () => {
      const started = performance.now()
      expect(leaks({ path: 'src/a.ts', file_text: text })).toEqual([])
      return performance.now() - started
    })
    // It takes about 4 ms; a busy machine gets more.
    expect(Math.min(...times)).toBeLessThan(25)
  })
})
type Texts = readonly (readonly [title: string, value: unknown])[]

it('finds nothing in harmless texts', () => {
  expect(
    leaks({ text: 'API_KEY is set, see .env', list: ['a', 'b'], number: 12345678, none: null, yes: true }),
  ).toEqual([])
})

test.prop(
  [fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), fc.constantFrom('plain', 'base64', 'hex', 'percent')],
  {
    numRuns: 200,
  },
)('finds a value in any surroundings', (before, after, how) => {
  const text = `${before}${FAKE_KEY}${after}`
  const encoded = { plain: text, base64: b64(text), hex: hex(text), percent: encodeURIComponent(text.toWellFormed()) }[
    how
  ]
  expect(leaks({ text: encoded })).not.toEqual([])
})

describe('the secret files', () => {
  it('are read again when they change', () => {
    const now = openSecrets(['moving.env'], ws.root, realDisk)
    const find = (text: string): unknown => {
      const state = now()
      return state.ok && state.secrets.leaksIn(text).length
    }
    expect(find('abcd1234efgh')).toBe(0)
    ws.write('moving.env', 'TOKEN=abcd1234efgh')
    expect(find('abcd1234efgh')).toBe(1)
    expect(find('other5678token')).toBe(0)
    ws.write('moving.env', 'TOKEN=other5678token')
    expect(find('other5678token')).toBe(1)
  })

  it('give one state as long as nothing changes', () => {
    expect(secretsNow()).toBe(secretsNow())
  })

  it.each<[string, (path: string) => void]>([
    [
      'is a folder',
      (path) => {
        mkdirSync(path)
      },
    ],
    [
      'is larger than 1 MiB',
      (path) => {
        writeFileSync(path, 'x'.repeat(1024 * 1024 + 1))
      },
    ],
    [
      'is a loop of links',
      () => {
        ws.link('bad-2', 'bad-2')
      },
    ],
  ])('stop everything when one %s', (what, make) => {
    const name = `bad-${['is a folder', 'is larger than 1 MiB', 'is a loop of links'].indexOf(what)}`
    make(join(ws.root, name))
    expect(openSecrets([name], ws.root, realDisk)()).toMatchObject({
      ok: false,
      detail: expect.stringContaining(name) as string,
    })
  })

  it('may be many, and take a moment only', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `token-${index * 7919}-${index}`)
    const path = ws.write('many.txt', lines.join('\n'))
    chmodSync(path, 0o600)
    const state = openSecrets(['many.txt'], ws.root, realDisk)()
    const start = performance.now()
    expect(state.ok && state.secrets.leaksIn({ text: `${'x y z '.repeat(5000)}${lines[4321] ?? ''}` })).toHaveLength(1)
    expect(performance.now() - start).toBeLessThan(2000)
  })
})
