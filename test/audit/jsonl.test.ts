import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { AuditError } from '../../src/audit/audit-error.ts'
import { parseHead } from '../../src/audit/chain.ts'
import { openAuditFile } from '../../src/audit/jsonl.io.ts'
import { verifyAudit } from '../../src/audit/verify.io.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { linesOf, newFolder, writtenLog } from './folder.ts'
import { decision, outcome } from './records.ts'

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('opening', () => {
  it('makes the folder 0700 and the files 0600, and leaves no other file', async () => {
    const folder = join(newFolder(), 'state', 'audit')
    const path = join(folder, 'audit.jsonl')
    const log = await openAuditFile(path)
    expect(mode(folder)).toBe('700')
    expect(readdirSync(folder).map((name) => `${name} ${mode(join(folder, name))}`)).toEqual([
      'audit.jsonl 600',
      'audit.jsonl.head 600',
      'audit.jsonl.lock 600',
    ])
    await log.close()
    expect(readdirSync(folder)).toEqual(['audit.jsonl', 'audit.jsonl.head'])
  })

  it('takes write access away from others', async () => {
    const path = await writtenLog([decision('a')])
    chmodSync(path, 0o666)
    chmodSync(`${path}.head`, 0o644)
    await (await openAuditFile(path)).close()
    expect([mode(path), mode(`${path}.head`)]).toEqual(['600', '600'])
  })

  it('continues the chain of a file that was closed, without a marker or a notice', async () => {
    const path = await writtenLog([decision('a'), outcome('a')])
    const log = await openAuditFile(path)
    expect(log.notices).toEqual([])
    await log.append(decision('b'))
    await log.close()
    expect(linesOf(path)).toHaveLength(3)
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 3, notes: [] })
  })

  it('starts in a file that is there and empty', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    writeFileSync(path, '')
    await (await openAuditFile(path)).close()
    expect((await verifyAudit(path)).ok).toBe(true)
  })

  it.each([
    {
      what: 'a folder',
      make: (path: string) => {
        mkdirSync(path)
      },
      problem: 'it is a folder',
    },
    {
      what: 'a symbolic link',
      make: (path: string) => {
        writeFileSync(`${path}.real`, '')
        symlinkSync(`${path}.real`, path)
      },
      problem: 'it is a symbolic link',
    },
    {
      what: 'a link to nothing',
      make: (path: string) => {
        symlinkSync(`${path}.none`, path)
      },
      problem: 'it is a symbolic link',
    },
    {
      what: 'a pipe',
      make: (path: string) => {
        execFileSync('mkfifo', [path])
      },
      problem: 'it is not a regular file',
    },
    {
      what: 'a file of two names',
      make: (path: string) => {
        writeFileSync(path, '')
        linkSync(path, `${path}.too`)
      },
      problem: 'it has a second name',
    },
    {
      what: 'some other file',
      make: (path: string) => {
        writeFileSync(path, 'hello\n')
      },
      problem: 'its head is missing',
    },
    {
      what: 'a file whose lock is a folder',
      make: (path: string) => {
        mkdirSync(`${path}.lock`)
      },
      problem: 'it is a folder',
    },
    {
      what: 'a file whose lock is damaged',
      make: (path: string) => {
        writeFileSync(`${path}.lock`, 'x')
      },
      problem: 'it is not a lock that this program wrote',
    },
    {
      what: 'a file whose head is a link',
      make: (path: string) => {
        symlinkSync('/etc/hostname', `${path}.head`)
      },
      problem: 'its head is not one that this program wrote',
    },
  ])('refuses $what, and changes nothing', async ({ make, problem }) => {
    const folder = newFolder()
    const path = join(folder, 'audit.jsonl')
    make(path)
    const before = readdirSync(folder)
    const refusal = await openAuditFile(path).catch((cause: unknown) => cause)
    expect(refusal).toBeInstanceOf(SettingError)
    expect(refusal).toMatchObject({ problem: expect.stringContaining(problem) as string })
    expect(readdirSync(folder).filter((name) => name !== 'audit.jsonl')).toEqual(
      before.filter((name) => name !== 'audit.jsonl'),
    )
  })

  it.each([
    { what: 'an empty name', path: '' },
    { what: 'a file below a file', path: '/etc/hostname/audit.jsonl' },
    { what: 'a folder that cannot be made', path: '/proc/nowhere/audit.jsonl' },
    { what: 'a name that is too long', path: `/tmp/${'x'.repeat(300)}` },
    { what: 'a name with a zero byte', path: '/tmp/a\0b' },
  ])('refuses $what with a sentence', async ({ path }) => {
    await expect(openAuditFile(path)).rejects.toThrow(SettingError)
    await expect(verifyAudit(path)).rejects.toThrow(SettingError)
  })

  it.each(['audit.jsonl', './audit.jsonl', 'sub/../audit.jsonl', 'linked/audit.jsonl'])(
    'refuses a second owner in the same process that spells it %s',
    async (spelling) => {
      const folder = newFolder()
      mkdirSync(join(folder, 'sub'))
      symlinkSync(folder, join(folder, 'linked'))
      const log = await openAuditFile(join(folder, 'audit.jsonl'))
      onTestFinished(() => log.close())
      await expect(openAuditFile(`${folder}/${spelling}`)).rejects.toThrow(`process ${process.pid} is writing to it`)
      await log.append(decision('a'))
    },
  )

  it('refuses a second owner who comes by a hard link', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    const log = await openAuditFile(path)
    onTestFinished(() => log.close())
    linkSync(path, `${path}.too`)
    await expect(openAuditFile(`${path}.too`)).rejects.toThrow(SettingError)
  })

  it('lists what was permitted and has no outcome (AU-17)', async () => {
    const path = await writtenLog([
      decision('done'),
      outcome('done'),
      decision('denied', { decision: 'deny', code: 'pdp.denied', cause: 'decision' }),
      decision('lost', { tool: 'transfer_money', args: { amount: '500.00', currency: 'NOK' } }),
    ])
    const log = await openAuditFile(path)
    onTestFinished(() => log.close())
    expect(log.openDecisions).toMatchObject([
      { id: 'lost', line: 4, caller: 'Customer:bob', tool: 'transfer_money', args: 'amount=500.00, currency=NOK' },
    ])
  })
})

describe.each([{ durable: true }, { durable: false }])('appending, durable: $durable', ({ durable }) => {
  it.each([
    {
      what: 'deleted',
      meddle: (path: string) => {
        rmSync(path)
      },
      says: 'somebody deleted the audit file',
    },
    {
      what: 'moved away',
      meddle: (path: string) => {
        renameSync(path, `${path}.old`)
      },
      says: 'somebody deleted the audit file',
    },
    {
      what: 'replaced by a copy',
      meddle: (path: string) => {
        copyFileSync(path, `${path}.copy`)
        renameSync(`${path}.copy`, path)
      },
      says: 'somebody replaced the audit file',
    },
    {
      what: 'emptied',
      meddle: (path: string) => {
        truncateSync(path, 0)
      },
      says: 'somebody else wrote to the audit file or cut it',
    },
    {
      what: 'appended to',
      meddle: (path: string) => {
        appendFileSync(path, '{}\n')
      },
      says: 'somebody else wrote to the audit file or cut it',
    },
  ])('is refused from then on when the file was $what', async ({ meddle, says }) => {
    const path = join(newFolder(), 'audit.jsonl')
    const log = await openAuditFile(path, { durable })
    await log.append(decision('a'))
    meddle(path)
    await expect(log.append(decision('b'))).rejects.toThrow(AuditError)
    await expect(log.append(decision('c'))).rejects.toThrow(says)
    await log.close()
    // A copy is the same to the byte, so it may be continued.
    if (says.includes('replaced')) await (await openAuditFile(path)).close()
    else await expect(openAuditFile(path)).rejects.toThrow(SettingError)
  })

  it('ends what is under way when it is closed, and refuses the rest', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    const log = await openAuditFile(path, { durable })
    const appended = Array.from({ length: 700 }, (_, at) => log.append(decision(`d${at}`)))
    await Promise.all([log.close(), log.close()])
    await Promise.all(appended)
    await expect(log.append(decision('late'))).rejects.toThrow('the audit is closed')
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 700 })
  })

  it('verifies while it is open', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    const log = await openAuditFile(path, { durable })
    onTestFinished(() => log.close())
    for (let at = 0; at < 30; at++) {
      const appended = log.append(decision(`d${at}`))
      expect((await verifyAudit(path)).problems).toEqual([])
      await appended
    }
    expect(parseHead(readFileSync(`${path}.head`, 'utf8'))?.count).toBe(30)
  })
})

/** A file system of 64 KiB; skips the test where this user may not mount one. */
function mounted({ skip }: TestContext): string {
  const folder = newFolder()
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  if (status !== 0) skip('mounting needs root on Linux')
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder])
  })
  return folder
}

describe('a disk', () => {
  it.for([{ durable: true }, { durable: false }])(
    'that is full refuses the append and all later ones, and keeps what was acknowledged: AU-07, durable: $durable',
    async ({ durable }, context) => {
      const folder = mounted(context)
      const path = join(folder, 'audit.jsonl')
      const log = await openAuditFile(path, { durable })
      let acknowledged = 0
      const failure = await (async () => {
        for (;;) {
          await log.append(decision(`d${acknowledged}`))
          acknowledged++
        }
      })().catch((cause: unknown) => cause)
      expect(failure).toBeInstanceOf(AuditError)
      expect(String(failure)).toContain('the system answered ENOSPC')
      await expect(log.append(decision('later'))).rejects.toBe(failure)
      expect(acknowledged).toBeGreaterThan(10)
      expect(linesOf(path)).toHaveLength(acknowledged)
      expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: acknowledged, notes: [] })
      await log.close()
      expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: acknowledged })
      const again = await openAuditFile(path, { durable })
      await expect(again.append(decision('x', { sentence: 'x'.repeat(70_000) }))).rejects.toThrow('ENOSPC')
      await again.close()
    },
  )

  it('that is full before it starts is a setting to change', async (context) => {
    const folder = mounted(context)
    try {
      writeFileSync(join(folder, 'filler'), Buffer.alloc(100_000))
    } catch {
      // Filled to the last page.
    }
    await expect(openAuditFile(join(folder, 'audit.jsonl'))).rejects.toThrow(SettingError)
    await expect(openAuditFile(join(folder, 'audit.jsonl'))).rejects.toThrow('no space is left on its disk')
    expect(readdirSync(folder).filter((name) => name !== 'filler' && name !== 'audit.jsonl')).toEqual([])
  })

  it('that is read-only is a setting to change, with a file and without', async (context) => {
    const folder = mounted(context)
    const path = await writtenLog([decision('a')], folder)
    execFileSync('mount', ['-o', 'remount,ro', folder])
    await expect(openAuditFile(path)).rejects.toThrow('it is on a read-only file system')
    await expect(openAuditFile(join(folder, 'new', 'audit.jsonl'))).rejects.toThrow('it is on a read-only file system')
    expect(await verifyAudit(path)).toMatchObject({ ok: true, lines: 1 })
  })
})
