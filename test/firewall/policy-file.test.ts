import { createHash } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, expect, it } from 'vitest'
import { SettingError } from '../../src/core/setting-error.ts'
import { openPolicyFile, type PolicyFile } from '../../src/firewall/policy-file.io.ts'
import { DEMO_POLICY } from './workspace.ts'

const folder = mkdtempSync(join(tmpdir(), 'policy-'))
const file = join(folder, 'policy.json')
const opened: PolicyFile<number>[] = []
const text = (seconds: number): string => JSON.stringify({ ...DEMO_POLICY, approval_timeout_sec: seconds })
const sha256 = (bytes: string): string => createHash('sha256').update(bytes).digest('hex')

function open(pin?: string): PolicyFile<number> {
  const policy = openPolicyFile(file, {
    pin,
    build: ({ approval_timeout_sec: seconds }) => {
      if (seconds === 14) throw new TypeError('a fault')
      if (seconds === 13) throw new SettingError('approval_timeout_sec', 'an unlucky number', 'Take another.')
      return seconds
    },
  })
  opened.push(policy)
  return policy
}

/** What the policy says once it says something else, or after the time is up. */
async function afterChange(policy: PolicyFile<number>, ms = 2000): Promise<unknown> {
  const before = policy.current()
  const end = performance.now() + ms
  while (policy.current() === before && performance.now() < end) await wait(2)
  return policy.current()
}

afterEach(() => {
  for (const policy of opened.splice(0)) policy.close()
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

it('loads a policy and the digest of its bytes', () => {
  writeFileSync(file, text(30))
  expect(open().current()).toEqual({ ok: true, built: 30, sha256: sha256(text(30)), stale: undefined })
})

it.each([
  [
    'written over',
    (next: string) => {
      writeFileSync(file, next)
    },
  ],
  [
    'replaced',
    (next: string) => {
      writeFileSync(`${file}.new`, next)
      renameSync(`${file}.new`, file)
    },
  ],
  // A machine that is busy with other tests may sleep through one attempt.
])('has a file that is %s in force within 100 ms', { retry: 3 }, async (_how, change) => {
  writeFileSync(file, text(30))
  const policy = open()
  change(text(31))
  expect(await afterChange(policy, 100)).toMatchObject({ ok: true, built: 31, sha256: sha256(text(31)) })
})

it.each([
  [
    'half a file',
    () => {
      writeFileSync(file, text(31).slice(0, 50))
    },
    'line 1, column',
  ],
  [
    'an unknown key',
    () => {
      writeFileSync(file, text(31).replace('{', '{"extra":1,'))
    },
    'extra: this key is not known',
  ],
  [
    'no file',
    () => {
      unlinkSync(file)
    },
    'cannot be read',
  ],
  [
    'bytes that are no text',
    () => {
      writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]))
    },
    'not UTF-8',
  ],
  [
    'a policy that cannot be built',
    () => {
      writeFileSync(file, text(13))
    },
    'an unlucky number',
  ],
  [
    'a policy that breaks its reader',
    () => {
      writeFileSync(file, text(14))
    },
    'cannot be put to use',
  ],
  [
    'more than 1 MiB',
    () => {
      writeFileSync(file, text(31) + ' '.repeat(1024 * 1024))
    },
    'larger than 1 MiB',
  ],
])('keeps the last good policy over %s, says why, and takes the next good one', async (_what, change, why) => {
  writeFileSync(file, text(30))
  const policy = open()
  change()
  expect(await afterChange(policy)).toMatchObject({
    ok: true,
    built: 30,
    sha256: sha256(text(30)),
    stale: expect.stringContaining(why) as string,
  })
  writeFileSync(file, text(32))
  expect(await afterChange(policy)).toMatchObject({ ok: true, built: 32, stale: undefined })
})

it('has no policy as long as there is no good file', async () => {
  writeFileSync(file, '{')
  const policy = open()
  expect(policy.current()).toMatchObject({ ok: false, says: expect.stringContaining('line 1, column 2') as string })
  writeFileSync(file, text(30))
  expect(await afterChange(policy)).toMatchObject({ ok: true, built: 30 })
})

it('loads no other file than the pinned one, also later', async () => {
  writeFileSync(file, text(30))
  expect(open(sha256(text(31))).current()).toEqual({ ok: false, says: 'the policy file is not the pinned one' })
  const pinned = open(sha256(text(30)).toUpperCase())
  writeFileSync(file, text(31))
  expect(await afterChange(pinned)).toMatchObject({
    ok: true,
    built: 30,
    stale: 'the policy file is not the pinned one',
  })
})
