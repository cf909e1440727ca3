import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proves } from '../requirements.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BankData } from '../../src/canbank/bank.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import { memoryLedger, openFileLedger } from '../../src/canbank/ledger.io.ts'
import type { Ledger, TransferRequest } from '../../src/canbank/ledger.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { bundle } from '../bundle.ts'

const { canbank, fjordbank } = BANKS
const request: TransferRequest = {
  from: 'acc-alice-savings',
  to: 'acc-joint',
  minor: 250_00,
  currency: 'NOK',
  key: 'k1',
}
const sumOf = (ledger: Ledger) => Object.values(ledger.snapshot()).reduce((sum, minor) => sum + minor, 0)
const total = sumOf(memoryLedger(canbank))
const refusal = (code: string) => expect.objectContaining({ name: 'ToolRefusal', code }) as unknown

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-'))
  file = join(folder, 'canbank.json')
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** The contract of the port, for every implementation. */
describe.each([
  ['in memory', (bank: BankData) => Promise.resolve(memoryLedger(bank))],
  ['in a file', (bank: BankData) => openFileLedger(file, bank)],
])('a ledger %s', (_, open) => {
  it('reads what the bank has, and nothing for what it has not', async () => {
    const ledger = await open(canbank)
    expect(ledger.bank).toBe(canbank)
    expect(ledger.account('acc-joint')).toEqual(canbank.accounts[5])
    expect(ledger.invoice('inv-bob-1')).toEqual(canbank.invoices[1])
    expect(ledger.customer('carol')).toEqual(canbank.customers[2])
    for (const id of ['ext-oslo-bolig', 'acc-mallory', '', '__proto__']) {
      expect([ledger.account(id), ledger.invoice(id), ledger.customer(id)]).toEqual([undefined, undefined, undefined])
    }
  })

  it('moves money, and remembers under which key', async () => {
    const ledger = await open(canbank)
    expect(ledger.hasTransfer('k1')).toBe(false)
    expect(await ledger.transfer(request)).toEqual(request)
    expect(ledger.hasTransfer('k1')).toBe(true)
    expect(ledger.account('acc-alice-savings')?.minor).toBe(79_750_00)
    expect(ledger.snapshot()['acc-joint']).toBe(15_250_00)
    expect(sumOf(ledger)).toBe(total)
  })

  it('makes transfers that are asked at once one after the other', async () => {
    const ledger = await open(canbank)
    const asked = Array.from({ length: 20 }, (_each, count) => ({ ...request, minor: 5_000_00, key: `k${count}` }))
    const outcomes = await Promise.allSettled(asked.map((each) => ledger.transfer(each)))
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(16)
    const refused = outcomes.slice(16)
    expect(refused).toEqual(refused.map(() => ({ status: 'rejected', reason: refusal('ledger.overdraft') })))
    expect(ledger.snapshot()['acc-alice-savings']).toBe(0)
    expect(sumOf(ledger)).toBe(total)
  })

  it('moves money once for one key, however often and however close together it is asked', async () => {
    const ledger = await open(canbank)
    const receipts = await Promise.all(Array.from({ length: 50 }, () => ledger.transfer(request)))
    expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1)
    await expect(ledger.transfer({ ...request, minor: 9_000_00 })).rejects.toEqual(refusal('ledger.key_conflict'))
    expect(ledger.snapshot()['acc-alice-savings']).toBe(79_750_00)
  })

  it('goes on after a refusal', async () => {
    const ledger = await open(canbank)
    await expect(ledger.transfer({ ...request, currency: 'USD' })).rejects.toEqual(refusal('ledger.currency_mismatch'))
    expect(await ledger.transfer(request)).toEqual(request)
  })

  it('finishes what it has begun when it is closed, and refuses what comes later', async () => {
    const ledger = await open(canbank)
    const begun = ledger.transfer(request)
    await ledger.close()
    expect(ledger.hasTransfer('k1')).toBe(true)
    expect(await begun).toEqual(request)
    await expect(ledger.transfer({ ...request, key: 'k2' })).rejects.toEqual(refusal('ledger.unavailable'))
    expect(ledger.account('acc-joint')?.minor).toBe(15_250_00)
  })

  it('keeps the banks apart', async () => {
    const ledger = await open(fjordbank)
    await expect(ledger.transfer({ ...request, minor: 41_750_01 })).rejects.toEqual(refusal('ledger.overdraft'))
  })
})

describe('a ledger file', () => {
  it('is there from the start, for its owner only, with nothing beside it', async () => {
    const ledger = await openFileLedger(file, canbank)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await ledger.transfer(request)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['canbank.json'])
  })

  it('takes away what a careless copy lets others read', async () => {
    await openFileLedger(file, canbank)
    chmodSync(file, 0o644)
    await (await openFileLedger(file, canbank)).transfer(request)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('holds balances and receipts for the next process', async () => {
    const first = await openFileLedger(file, canbank)
    await first.transfer(request)
    await first.transfer({ ...request, to: 'ext-oslo-bolig', minor: 1, key: 'k2 ü "' })
    await first.close()
    const second = await openFileLedger(file, canbank)
    expect(second.snapshot()).toEqual(first.snapshot())
    expect(second.hasTransfer('k2 ü "')).toBe(true)
    expect(await second.transfer(request)).toEqual(request)
    expect(second.snapshot()).toEqual(first.snapshot())
    await expect(second.transfer({ ...request, minor: 1 })).rejects.toEqual(refusal('ledger.key_conflict'))
  })

  it('is not written for a refusal or a repeated key', async () => {
    const ledger = await openFileLedger(file, canbank)
    await ledger.transfer(request)
    const { ino } = statSync(file)
    await ledger.transfer(request)
    await expect(ledger.transfer({ ...request, minor: -1, key: 'k2' })).rejects.toEqual(
      refusal('ledger.amount_invalid'),
    )
    expect(statSync(file).ino).toBe(ino)
  })

  it('is never overwritten by a ledger that has not seen its last version', async () => {
    const first = await openFileLedger(file, canbank)
    const second = await openFileLedger(file, canbank)
    await first.transfer(request)
    const written = readFileSync(file, 'utf8')
    await expect(second.transfer({ ...request, key: 'k2' })).rejects.toEqual(refusal('ledger.unavailable'))
    await expect(second.transfer({ ...request, key: 'k2' })).rejects.toEqual(refusal('ledger.unavailable'))
    expect(readFileSync(file, 'utf8')).toBe(written)
    expect(second.account('acc-joint')?.minor).toBe(15_000_00)
    await first.transfer({ ...request, key: 'k3' })
    expect(readdirSync(folder)).toEqual(['canbank.json'])
  })

  it('is not made anew by a ledger whose file was removed', async () => {
    const ledger = await openFileLedger(file, canbank)
    rmSync(file)
    await expect(ledger.transfer(request)).rejects.toEqual(refusal('ledger.unavailable'))
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuses while another process is about to write', async () => {
    const ledger = await openFileLedger(file, canbank)
    symlinkSync(`${process.ppid}-1`, `${file}.lock`)
    await expect(ledger.transfer(request)).rejects.toEqual(refusal('ledger.unavailable'))
    const other = await openFileLedger(file, canbank)
    await expect(other.transfer(request)).rejects.toEqual(refusal('ledger.unavailable'))
    rmSync(`${file}.lock`)
    expect(await ledger.transfer(request)).toEqual(request)
  })

  it('names the cause of an unavailable ledger to the operator, not to the model', async () => {
    const ledger = await openFileLedger(file, canbank)
    rmSync(folder, { recursive: true })
    await expect(ledger.transfer(request)).rejects.toMatchObject({
      message: 'The ledger cannot be written right now; the transfer is not confirmed.',
      cause: { code: 'ENOENT' },
    })
  })

  it('opens once when two open it first at the same time', async () => {
    const both = await Promise.all([openFileLedger(file, canbank), openFileLedger(file, canbank)])
    await both[0].transfer(request)
    await expect(both[1].transfer({ ...request, key: 'k2' })).rejects.toEqual(refusal('ledger.unavailable'))
  })
})

describe('leftovers of a killed process', () => {
  const uuid = '0b0f6cbb-6f0e-4a0f-8c59-3d6d1d7ad0aa'
  // Above the largest process id of any system that this runs on.
  const gone = 2 ** 30

  it.each([
    ['a process that is gone', gone, 0],
    ['an earlier process with our id', process.pid, 0],
    ['a process that has had a minute', process.ppid, 61],
  ])('of %s are swept when the file is opened', async (_, pid, ageSeconds) => {
    await openFileLedger(file, canbank)
    const temporary = `${file}.${pid}-1.${uuid}.tmp`
    writeFileSync(temporary, '{"version":1,"ten')
    utimesSync(temporary, Date.now() / 1000 - ageSeconds, Date.now() / 1000 - ageSeconds)
    if (ageSeconds === 0) symlinkSync(`${pid}-1`, `${file}.lock`)
    const ledger = await openFileLedger(file, canbank)
    expect(readdirSync(folder)).toEqual(['canbank.json'])
    expect(await ledger.transfer(request)).toEqual(request)
  })

  it('are left alone when they are of a living process or not ours', async () => {
    const names = [
      `canbank.json.${process.ppid}-1.${uuid}.tmp`,
      `other.json.${gone}-1.${uuid}.tmp`,
      'canbank.json.bak',
      `canbank.json.${gone}-1.tmp`,
      'canbank.json.lock',
    ]
    for (const name of names) writeFileSync(join(folder, name), '')
    await openFileLedger(file, canbank).catch(() => undefined)
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(names))
  })
})

describe('a ledger file that cannot be used', () => {
  /** What is on disk after one transfer, with one thing changed. */
  async function spoiled(change: (text: string) => string | Buffer): Promise<unknown> {
    await (await openFileLedger(file, canbank)).transfer(request)
    const text = change(readFileSync(file, 'utf8'))
    writeFileSync(file, text)
    const answer = await openFileLedger(file, canbank).catch((cause: unknown) => cause)
    expect(readFileSync(file)).toEqual(Buffer.from(text))
    return answer
  }

  it.each([
    ['is empty', () => '', 'it is damaged: not JSON'],
    ['is torn', (text: string) => text.slice(0, -20), 'it is damaged: not JSON'],
    ['is binary', () => Buffer.from([0xff, 0xfe, 0, 1]), 'it is damaged: not JSON'],
    ['is another JSON value', () => '[]', 'it is damaged'],
    ['has a key twice', (text: string) => text.replace('{', '{"version":1,'), 'it is damaged: a duplicate key'],
    ['is of a later version', (text: string) => text.replace('"version":1', '"version":2'), 'it is damaged at version'],
    ['has one field more', (text: string) => text.replace('{', '{"more":1,'), 'it is damaged'],
    [
      'has a float for a balance',
      (text: string) => text.replace('1525000', '15250.5'),
      'it is damaged at balances.acc-joint',
    ],
    ['has a negative balance', (text: string) => text.replace('1525000', '-1'), 'it is damaged at balances.acc-joint'],
    [
      'has a text for an amount',
      (text: string) => text.replace('"minor":25000', '"minor":"25000"'),
      'it is damaged at transfers.0.minor',
    ],
    ['was made richer', (text: string) => text.replace('1525000', '9525000'), 'its balances do not follow'],
    ['lost a transfer', (text: string) => text.replace(/"transfers":\[.*\]/, '"transfers":[]'), 'its balances do not'],
    ['lost an account', (text: string) => text.replace('"acc-bob-closed":0,', ''), 'its balances do not follow'],
    [
      'has a key in two transfers',
      (text: string) => text.replace(/(\{"key".*?\})|(\{"from".*?\})/, '$&,$&'),
      'its balances do not follow',
    ],
    ['is of another bank', (text: string) => text.replace('canbank', 'fjordbank'), 'it holds the books of fjordbank'],
  ])('because it %s is refused with its name and the problem, and left as it is', async (_, change, problem) => {
    const answer = await spoiled(change)
    expect(answer).toBeInstanceOf(SettingError)
    expect(answer).toMatchObject({ what: `ledger file ${file}`, problem: expect.stringContaining(problem) as string })
  })

  it.each([
    ['its folder is missing', 'none/canbank.json', 'does not exist'],
    ['its folder is a file', 'plain/canbank.json', 'does not exist'],
    ['its folder is in a file', 'plain/sub/canbank.json', 'ENOTDIR'],
    ['it is a folder', 'sub', 'it cannot be read or written (EINVAL)'],
    ['it is a link', 'link', 'it cannot be read or written (EINVAL)'],
    ['its name is too long', 'x'.repeat(250), 'it cannot be read or written (ENAMETOOLONG)'],
    ['its name is no name', 'a\0b', 'it cannot be read or written (ERR_INVALID_ARG_VALUE)'],
  ])('because %s is refused', async (_, name, problem) => {
    mkdirSync(join(folder, 'sub'))
    writeFileSync(join(folder, 'plain'), '')
    symlinkSync(join(folder, 'plain'), join(folder, 'link'))
    const answer = await openFileLedger(join(folder, name), canbank).catch((cause: unknown) => cause)
    expect(answer).toBeInstanceOf(SettingError)
    expect((answer as SettingError).problem).toContain(problem)
  })
})

/** A small file system of its own; undefined where none may be mounted. */
function mountSmall(options: string): string | undefined {
  const mounted = join(folder, 'small')
  mkdirSync(mounted)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', mounted], { stdio: 'ignore' })
    return mounted
  } catch {
    return undefined
  }
}
const unmount = (mounted: string): void => {
  execFileSync('umount', ['-l', mounted])
}

describe('a full or read-only disk', () => {
  it('refuses the transfer, keeps the books as they were, and goes on when there is space again', async (context) => {
    const mounted = mountSmall('size=64k')
    if (mounted === undefined) return context.skip('mounting a tmpfs needs root')
    try {
      file = join(mounted, 'canbank.json')
      const ledger = await openFileLedger(file, canbank)
      await ledger.transfer(request)
      const written = readFileSync(file, 'utf8')
      const filler = join(mounted, 'filler')
      expect(() => {
        writeFileSync(filler, Buffer.alloc(128 * 1024))
      }).toThrow('ENOSPC')
      await expect(ledger.transfer({ ...request, key: 'k2' })).rejects.toMatchObject({
        code: 'ledger.unavailable',
        cause: { code: 'ENOSPC' },
      })
      expect(ledger.snapshot()['acc-joint']).toBe(15_250_00)
      expect(ledger.hasTransfer('k2')).toBe(false)
      expect(readFileSync(file, 'utf8')).toBe(written)
      expect(readdirSync(mounted).sort()).toEqual(['canbank.json', 'filler'])
      rmSync(filler)
      await ledger.transfer({ ...request, key: 'k2' })
      expect((await openFileLedger(file, canbank)).snapshot()['acc-joint']).toBe(15_500_00)
    } finally {
      unmount(mounted)
    }
  })

  it('names the file that cannot be made', async (context) => {
    const mounted = mountSmall('size=4k')
    if (mounted === undefined) return context.skip('mounting a tmpfs needs root')
    try {
      writeFileSync(join(mounted, 'filler'), Buffer.alloc(4096))
      const answer = await openFileLedger(join(mounted, 'canbank.json'), canbank).catch((cause: unknown) => cause)
      expect(answer).toBeInstanceOf(SettingError)
      expect((answer as SettingError).problem).toBe('it cannot be read or written (ENOSPC)')
      execFileSync('mount', ['-o', 'remount,ro', mounted])
      const readOnly = await openFileLedger(join(mounted, 'canbank.json'), canbank).catch((cause: unknown) => cause)
      expect((readOnly as SettingError).problem).toBe('it cannot be read or written (EROFS)')
    } finally {
      unmount(mounted)
    }
  })
})

describe(`kill -9 — ${proves('ledger.atomic')}`, () => {
  /** Runs the loop and kills it soon after so many confirmed keys; resolves with all that it has printed. */
  async function killedAfter(program: string, path: string, keys: number): Promise<readonly string[]> {
    const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.split('\n').length > keys + 1) setTimeout(() => child.kill('SIGKILL'), Math.random() * 4)
    })
    await once(child, 'close')
    return printed.split('\n').slice(0, -1)
  }

  /** Ten lives of one file. */
  async function tenLives(program: string, path: string): Promise<void> {
    const confirmed: string[] = []
    for (let life = 0; life < 10; life++) {
      const keys = await killedAfter(program, path, life)
      expect(keys.length).toBeGreaterThanOrEqual(life)
      confirmed.push(...keys)
      const ledger = await openFileLedger(path, canbank)
      expect(sumOf(ledger)).toBe(total)
      expect(confirmed.filter((key) => !ledger.hasTransfer(key))).toEqual([])
    }
  }

  it('at twenty moments loses no confirmed transfer and no money, and leaves no torn file', async () => {
    const program = await bundle('test/canbank/transfer-loop.fixture.ts')
    await Promise.all([tenLives(program, file), tenLives(program, join(folder, 'other.json'))])
    expect(readdirSync(folder).sort()).toEqual(['canbank.json', 'other.json'])
    // Twenty processes are started in turn, which is slow where others keep the processors busy.
  }, 60_000)

  it('of one of two that write the same file loses nothing that either confirmed', async () => {
    const program = await bundle('test/canbank/transfer-loop.fixture.ts')
    const lanes = [killedAfter(program, file, 20), killedAfter(program, file, 20)]
    const printed = (await Promise.all(lanes)).flat()
    const keys = printed.filter((line) => !line.startsWith('refused'))
    expect(keys.length).toBeGreaterThanOrEqual(20)
    const ledger = await openFileLedger(file, canbank)
    expect(sumOf(ledger)).toBe(total)
    expect(keys.filter((key) => !ledger.hasTransfer(key))).toEqual([])
    expect(readdirSync(folder)).toEqual(['canbank.json'])
  })
})
