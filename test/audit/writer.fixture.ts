import { openAuditFile } from '../../src/audit/jsonl.io.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { decision } from './records.ts'

// Opens the file, says `open`, and then, told to `write`, prints the id of each append that was acknowledged. It runs
// until it is killed or its input ends. Exits with 2 when the file is refused.
const [path = '', wanted = 'hold', durable = 'true'] = process.argv.slice(2)
try {
  const log = await openAuditFile(path, { durable: durable === 'true' })
  process.stdout.write('open\n')
  process.stdin.on('end', () => {
    void log.close().then(() => process.exit(0))
  })
  process.stdin.resume()
  if (wanted === 'write') await Promise.all([0, 1, 2].map(write))

  async function write(worker: number): Promise<void> {
    for (let at = 0; ; at++) {
      const id = `${process.pid}-${worker}-${at}`
      await log.append(decision(id, { sentence: 'x'.repeat(at % 16 === 0 ? 9000 : 20) }))
      process.stdout.write(`${id}\n`)
      // Lets the output go out, and the other workers in.
      if (at % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
} catch (cause) {
  if (!(cause instanceof SettingError)) throw cause
  process.stdout.write(`${cause.problem}\n`)
  process.exit(2)
}
