import { BANKS } from '../../src/canbank/banks.ts'
import { openFileLedger } from '../../src/canbank/ledger.io.ts'

/** Moves money back and forth in the ledger file it is given, and prints each key once its transfer is confirmed. */
async function main(file: string): Promise<void> {
  const ledger = await openFileLedger(file, BANKS.canbank)
  const accounts = ['acc-alice-savings', 'acc-joint'] as const
  for (let count = 0; ; count++) {
    const [from, to] = count % 2 === 0 ? accounts : [accounts[1], accounts[0]]
    const key = `${process.pid}-${count}`
    try {
      await ledger.transfer({ from, to, minor: 1 + (count % 7), currency: 'NOK', key })
      process.stdout.write(`${key}\n`)
    } catch (cause) {
      process.stdout.write(`refused ${cause instanceof Error && 'code' in cause ? String(cause.code) : 'broken'}\n`)
      return
    }
  }
}

await main(process.argv[2] ?? '')
