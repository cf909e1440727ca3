import { describe, expect, it } from 'vitest'
import { isListed, originOf, originsOf, strictUrl } from '../../src/firewall/url.ts'

const LISTED = originsOf([
  'https://docs.example.com',
  'https://*.python.org',
  'https://cdn.example.com/a',
  'http://[::1]:8080',
  'https://xn--bcher-kva.example',
])
const reaches = (url: string): boolean => {
  const read = strictUrl(url)
  return typeof read !== 'string' && isListed(read, LISTED)
}

describe('an address', () => {
  it.each([
    ['the origin', 'https://docs.example.com'],
    ['a path and a query', 'https://docs.example.com/3/library/os.html?highlight=path#os.path'],
    ['the usual port, spelled out', 'https://docs.example.com:443/'],
    ['a subdomain', 'https://docs.python.org/3/'],
    ['a deep subdomain', 'https://a.b.python.org/'],
    ['an encoded letter in a path', 'https://docs.example.com/a%20b%7e'],
    ['a listed path', 'https://cdn.example.com/a'],
    ['below a listed path', 'https://cdn.example.com/a/b'],
    ['an encoded path', 'https://docs.example.com/%E2%82%AC'],
    ['a listed name in other letters', 'https://xn--bcher-kva.example/'],
    ['a listed address', 'http://[::1]:8080/x'],
  ])('is listed: %s', (_title, url) => {
    expect(reaches(url)).toBe(true)
  })

  it.each([
    ['user info (UR-01)', 'https://docs.example.com@127.0.0.1/'],
    ['user info before the listed host', 'https://x@docs.example.com/'],
    ['a backslash (UR-03)', 'https://127.0.0.1\\@docs.example.com/x'],
    ['a backslash for a slash', 'https:\\\\docs.example.com/'],
    ['the listed text in the query (UR-05)', 'https://127.0.0.1?https://docs.example.com/'],
    ['the listed text in the fragment', 'https://evil.test#docs.example.com'],
    ['an octal address (UR-07)', 'http://0251.0376.0251.0376/'],
    ['a hexadecimal address', 'http://0xA9FEA9FE/'],
    ['a hexadecimal address in small letters', 'http://0xa9fea9fe/'],
    ['a short address', 'http://169.254.43518/'],
    ['a decimal address', 'http://2130706433/'],
    ['a shorter one', 'http://127.1/'],
    ['an address that is not listed (UR-13)', 'http://127.0.0.1:9090/'],
    ['punycode that is not listed (UR-15)', 'https://xn--xample-2of.com/'],
    ['other letters (UR-15)', 'https://doсs.example.com/'],
    ['a NUL (UR-17)', 'https://127.0.0.1\0.docs.example.com'],
    ['a tab (UR-19)', 'https://docs.example.com\t.evil.example/'],
    ['a tab inside the listed host', 'https://docs.exam\tple.com/'],
    ['a line break', 'https://docs.example.com/\n'],
    ['a leading blank', ' https://docs.example.com/'],
    ['a file (UR-21)', 'file:///etc/hostname'],
    ['another scheme', 'http://docs.example.com/'],
    ['another port', 'https://docs.example.com:8443/'],
    ['a port with a leading zero', 'https://docs.example.com:0443/'],
    ['an empty port', 'https://docs.example.com:/'],
    ['no such port', 'https://docs.example.com:65536/'],
    ['a longer host', 'https://docs.example.com.evil.test/'],
    ['a host with the same end', 'https://evilpython.org/'],
    ['the domain itself under a wildcard', 'https://python.org/'],
    ['a dot behind the host', 'https://docs.example.com./'],
    ['an empty label', 'https://.python.org/'],
    ['upper case', 'https://DOCS.example.com/'],
    ['an encoded host', 'https://docs.ex%61mple.com/'],
    ['no slashes', 'https:docs.example.com'],
    ['three slashes', 'https:///docs.example.com'],
    ['a dot segment', 'https://cdn.example.com/a/../b'],
    ['an encoded dot segment', 'https://cdn.example.com/a/%2e%2e/b'],
    ['a dot segment with a parameter', 'https://cdn.example.com/a/..;/b'],
    ['an encoded slash under a path', 'https://cdn.example.com/a/..%2fb'],
    ['an encoded backslash under a path', 'https://cdn.example.com/a/..%5cb'],
    ['an encoding of an encoding under a path', 'https://cdn.example.com/a/%252e%252e/b'],
    ['a path with the same start', 'https://cdn.example.com/ab'],
    ['an encoded NUL in a path (UR-17)', 'https://docs.example.com/a%00'],
    ['an encoded line break in a path', 'https://docs.example.com/a%0d%0aHost:%20evil'],
    ['one that is encoded twice', 'https://docs.example.com/a%250ab'],
    ['other letters under a wildcard (UR-15)', 'https://xn--80ak6aa92e.python.org/'],
    ['a broken encoding', 'https://docs.example.com/%zz'],
    ['9 KiB', `https://docs.example.com/${'a'.repeat(9 * 1024)}`],
  ])('is not: %s', (_title, url) => {
    expect(reaches(url)).toBe(false)
  })
})

it.each([
  'docs.example.com',
  '*',
  'https://*',
  'https://*.com/',
  'https://*.127.0.0.1',
  'https://docs.example.com/?q=1',
  'https://docs.example.com/a/../b',
  'https://DOCS.example.com',
  'ftp://docs.example.com',
])('takes %s for no entry of a list', (entry) => {
  expect(originOf(entry)).toBeTypeOf('string')
})
