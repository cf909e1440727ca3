import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPlace, run, start, type Started } from './bin.ts'

const bin = fileURLToPath(new URL('../../dist/scripts/demo-issuer.js', import.meta.url))
const place = newPlace()
const FORM = 'application/x-www-form-urlencoded'

describe('npm run issuer', () => {
  let issuer: Started
  let url = ''
  beforeAll(async () => {
    issuer = start([], { place, bin })
    await issuer.says('INTROSPECT_CLIENT_SECRET')
    url = /^OIDC_ISSUER=(.*)$/m.exec(issuer.stdout())?.[1] ?? ''
  })
  afterAll(async () => {
    issuer.child.kill('SIGTERM')
    await issuer.ended
    place.remove()
  })

  it('prints what to copy, how to keep its port, and no warning of its library', () => {
    expect([issuer.stderr(), url]).toEqual(['', expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)])
    expect(issuer.stdout()).toContain('--port 9400')
  })

  it.each([
    { path: '/device', type: FORM, body: '' },
    { path: '/device', type: FORM, body: '%E0%A4%A' },
    { path: '/device', type: FORM, body: 'user_code=a&user_code=b' },
    { path: '/device', type: FORM, body: `user_code=${'x'.repeat(200_000)}` },
    { path: '/device', type: 'application/json', body: '{' },
    { path: '/device', type: 'multipart/form-data; boundary=x', body: '--x' },
    { path: '/device/none', type: FORM, body: 'xsrf=a' },
    { path: '/sign-in/none', type: FORM, body: 'customer=bob' },
    { path: '/sign-in/none', type: FORM, body: 'customer=%FF' },
    { path: '/token', type: FORM, body: '%' },
    { path: '/token/introspection', type: 'text/plain', body: 'token' },
    { path: '/auth', type: FORM, body: 'client_id=a&client_id=b' },
  ])('answers a malformed form at $path with a refusal: $type $body', async ({ path, type, body }) => {
    const { status } = await fetch(`${url}${path}`, { method: 'POST', headers: { 'content-type': type }, body })
    expect([200, 400, 401, 404, 413, 415]).toContain(status)
    expect(issuer.stderr()).toBe('')
  })

  it.each([
    { args: ['--port', 'x'], says: '--port: "x" is not a port. Give a number from 0 to 65535' },
    { args: ['--port', '65536'], says: '--port: "65536" is not a port.' },
    { args: ['--bank', 'nobank'], says: '--bank: "nobank" is not a bank. Use canbank or fjordbank' },
    { args: ['--prot', '1'], says: "Unknown option '--prot'" },
  ])('ends with 2 and a sentence for $args', async ({ args, says }) => {
    const { code, stdout, stderr } = await run(args, { place, bin })
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`issuer: ${says}`)])
  })

  it('says which port is in use, and listens at the one that is asked for', async () => {
    const port = new URL(url).port
    const { code, stderr } = await run(['--port', port], { place, bin })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`--port: port ${port} is in use`)])
  })

  it('says with --help how to choose bank and port', async () => {
    const { code, stdout } = await run(['--help'], { place, bin })
    expect(code).toBe(0)
    expect(stdout).toMatch(/--bank <tenant>[^]*--port <port>/)
  })
})
