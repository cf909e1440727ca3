import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAuditFile } from '../../src/audit/jsonl.io.ts'
import { verifyAudit } from '../../src/audit/verify.io.ts'
import { newFolder, writtenLog } from './folder.ts'
import { writerProcesses, type WriterProcess } from './processes.ts'
import { decision } from './records.ts'

let start: (...args: readonly string[]) => WriterProcess
beforeAll(async () => {
  start = await writerProcesses()
})

const lockOf = (path: string) => JSON.parse(readFileSync(`${path}.lock`, 'utf8')) as Record<string, unknown>
const hold = async (path: string) => {
  const owner = start(path)
  expect(await owner.firstLine).toBe('open')
  return owner
}

describe('the owner of a file', () => {
  it('keeps every other process out while it lives (AU-05)', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    const owner = await hold(path)
    await expect(openAuditFile(path)).rejects.toThrow(`process ${owner.child.pid} is writing to it. End that process`)
    const second = start(path)
    expect(await second.firstLine).toBe(`process ${owner.child.pid} is writing to it`)
  })

  it('keeps others out while it is stopped', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    const owner = await hold(path)
    owner.child.kill('SIGSTOP')
    await expect(openAuditFile(path)).rejects.toThrow('is writing to it')
  })

  it('lets the next one in after it has closed, without a notice', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    const owner = await hold(path)
    owner.child.stdin.end()
    await new Promise((resolve) => owner.child.on('close', resolve))
    const log = await openAuditFile(path)
    expect(log.notices).toEqual([])
    await log.close()
  })

  it('is followed by the next one after it was killed, with a notice', async () => {
    const path = join(newFolder(), 'audit.jsonl')
    const owner = await hold(path)
    await owner.kill()
    const log = await openAuditFile(path)
    expect(log.notices).toEqual(['The last process that wrote the audit ended without closing it.'])
    expect(lockOf(path)['pid']).toBe(process.pid)
    await log.close()
    expect(readdirSync(join(path, '..'))).toEqual(['audit.jsonl', 'audit.jsonl.head'])
  })
})

describe('a lock that is left', () => {
  it.skipIf(process.platform !== 'linux').each([
    { what: 'a process that started at another time', change: { start: '1' }, free: true },
    { what: 'another boot of this machine', change: { boot: 'another' }, free: true },
    { what: 'a process of another container', change: { space: 'pid:[1]' }, free: false },
    { what: 'this very process', change: {}, free: false },
  ])('by $what is free: $free', async ({ change, free }) => {
    const path = await writtenLog([decision('a')])
    const other = join(newFolder(), 'other.jsonl')
    const log = await openAuditFile(other)
    const lock = { ...lockOf(other), ...change }
    await log.close()
    writeFileSync(`${path}.lock`, `${JSON.stringify(lock)}\n`)
    const opening = openAuditFile(path)
    if (free) await (await opening).close()
    else await expect(opening).rejects.toThrow(/is writing to it|of another container holds it/)
  })

  it('is free when a person has emptied it', async () => {
    const path = await writtenLog([decision('a')])
    writeFileSync(`${path}.lock`, '')
    await (await openAuditFile(path)).close()
    expect(await verifyAudit(path)).toMatchObject({ ok: true, notes: [] })
  })
})

describe('of several processes that start at once', () => {
  it.each([
    { rounds: 10, left: 'no lock' },
    { rounds: 10, left: 'a dead lock' },
    { rounds: 8, left: 'a dead lock and a dead taker' },
  ])(
    'exactly one gets the file, $rounds times, where there is $left (AU-05)',
    { timeout: 60_000 },
    async ({ rounds, left }) => {
      const folder = newFolder()
      for (let round = 0; round < rounds; round++) {
        const path = join(folder, `${round}.jsonl`)
        if (left !== 'no lock') leaveDead(`${path}.lock`, `dead-${round}`)
        if (left === 'a dead lock and a dead taker') leaveDead(`${path}.lock.dead-${round}`, `taker-${round}`)
        const racers = [start(path), start(path)]
        const answers = await Promise.all(racers.map((racer) => racer.firstLine))
        expect(answers.filter((answer) => answer === 'open')).toHaveLength(1)
        expect(answers.filter((answer) => answer.endsWith('is writing to it'))).toHaveLength(1)
        await Promise.all(racers.map((racer) => racer.kill()))
      }
    },
  )
})

const leaveDead = (lock: string, nonce: string) => {
  writeFileSync(lock, `${JSON.stringify({ pid: 0, start: '', boot: '', space: '', nonce })}\n`)
}
