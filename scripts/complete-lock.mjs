#!/usr/bin/env node
// Completes package-lock.json with the optional platform packages that a registry mirror does not
// serve (404), so that `npm ci` accepts the lock. `npm install` leaves them out, and `npm ci` then fails
// with "Missing: @github/copilot-sdk-darwin-arm64@ from lock file". Entries carry no integrity: on another
// platform npm takes it from that registry. Idempotent. `--check` only reports (exit 1 when incomplete).
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
const check = process.argv.includes('--check')
const PLATFORM = /-(darwin|linux|linuxmusl|win32)-(x64|arm64)$/
const added = []

for (const [path, pkg] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(pkg.optionalDependencies ?? {})) {
    if (lock.packages[`${path}/node_modules/${name}`] ?? lock.packages[`node_modules/${name}`]) continue
    const match = PLATFORM.exec(name)
    if (!match || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
      throw new Error(`cannot complete ${name}@${version} (wanted by ${path})`)
    }
    const musl = match[1] === 'linuxmusl'
    const os = musl ? 'linux' : match[1]
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: [match[2]],
      ...(os === 'linux' ? { libc: [musl ? 'musl' : 'glibc'] } : {}),
      ...(pkg.license ? { license: pkg.license } : {}),
      optional: true,
      os: [os],
    }
    added.push(`${name}@${version}`)
  }
}
if (added.length === 0) {
  console.log('package-lock.json is complete')
} else if (check) {
  console.error(`package-lock.json lacks:\n  ${added.join('\n  ')}\nrun: npm run lock:complete`)
  process.exit(1)
} else {
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([a], [b]) => (a === '' ? -1 : b === '' ? 1 : a.localeCompare(b, 'en'))),
  )
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`added:\n  ${added.join('\n  ')}`)
}
