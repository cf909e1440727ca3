// Runs the checks of pdp/openfga/store.fga.yaml on the real server, and with the fga CLI where it is installed:
//   npm run openfga:check -- [--url http://127.0.0.1:8080]
// Without --url a server is started for it, with its data in memory.
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { SettingError } from '../src/core/setting-error.ts'
import { onPath } from './engine-process.ts'
import { obtainOpenfga, OPENFGA_DOCKER } from './openfga-binary.ts'
import { startOpenfga } from './openfga-server.ts'
import { runStoreFile, STORE_FILE } from './openfga-store-file.ts'
import { environment, runScript } from './run-script.ts'

await runScript('openfga:check', async () => {
  const { values } = parseArgs({ options: { url: { type: 'string' } } })
  const token = environment('OPENFGA_API_TOKEN')
  const failed = values.url === undefined ? await onOwnServer() : await check({ url: values.url, token })
  const fga = onPath('fga')
  if (fga === undefined) console.log('The fga CLI is not on PATH: its own run of the file is left out.')
  else if (spawnSync(fga, ['model', 'test', '--tests', STORE_FILE], { stdio: 'inherit' }).status !== 0) {
    process.exitCode = 1
  }
  if (failed) process.exitCode = 1
})

async function onOwnServer(): Promise<boolean> {
  const binary = obtainOpenfga((sentence) => {
    console.error(`openfga:check: ${sentence}`)
  })
  if (binary === undefined) {
    throw new SettingError(
      'openfga',
      'there is no OpenFGA server here',
      `Start one and give --url:\n  ${OPENFGA_DOCKER}`,
    )
  }
  const server = await startOpenfga({ binary })
  try {
    return await check(server)
  } finally {
    await server.close()
  }
}

async function check(server: { readonly url: string; readonly token?: string | undefined }): Promise<boolean> {
  const results = await runStoreFile(server)
  for (const { user, relation, object, expected, allowed } of results) {
    const mark = allowed === expected ? 'ok  ' : 'FAIL'
    console.log(`${mark} ${user} ${relation} ${object}: ${String(allowed ?? 'an error')}, ${String(expected)} expected`)
  }
  const failures = results.filter(({ expected, allowed }) => allowed !== expected).length
  console.log(`${results.length - failures} passed, ${failures} failed`)
  return failures > 0
}
