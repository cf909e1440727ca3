import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort, isProgram, onPath, startEngine } from '../../scripts/engine-process.ts'

const DEBIAN = '/usr/lib/postgresql'
const NOBODY = 65_534

/** The folder with PostgreSQL's own programs, the newest of Debian's; undefined when there is none. */
export function findPostgres(): string | undefined {
  const debian = folders(DEBIAN).map((version) => join(DEBIAN, version, 'bin'))
  const path = onPath('initdb')
  return [...debian, ...(path === undefined ? [] : [dirname(path)])].find((folder) => isProgram(join(folder, 'initdb')))
}

const folders = (path: string): readonly string[] => {
  try {
    return readdirSync(path).sort((one, other) => Number(other) - Number(one))
  } catch {
    return []
  }
}

/** A cluster of its own on loopback, with nothing but the database `postgres` in it. */
export interface Postgres {
  readonly url: string
  close(): Promise<void>
}

/** PostgreSQL refuses to run as root, so there it runs as nobody. */
const otherUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined

export async function startPostgres(bin: string): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'intent-gate-postgres-'))
  const data = join(folder, 'data')
  const secret = join(folder, 'secret')
  writeFileSync(secret, 'for-this-test-only\n', { mode: 0o600 })
  if (otherUser !== undefined) for (const each of [folder, secret]) chownSync(each, otherUser.uid, otherUser.gid)
  const init = ['-D', data, '-U', 'fga', '--pwfile', secret, '-A', 'scram-sha-256', '-E', 'UTF8', '--locale', 'C', '-N']
  execFileSync(join(bin, 'initdb'), init, { ...otherUser, cwd: folder, stdio: 'pipe' })
  const port = await freePort()
  const options = { listen_addresses: '127.0.0.1', port, unix_socket_directories: folder, fsync: 'off' }
  const engine = await startEngine({
    name: 'PostgreSQL',
    command: join(bin, 'postgres'),
    args: ['-D', data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    env: { LC_ALL: 'C' },
    user: otherUser,
    isReady: () => isReady(bin, port),
  })
  return {
    url: `postgres://fga:for-this-test-only@127.0.0.1:${port}/postgres?sslmode=disable`,
    close: async () => {
      // At once: its clients have gone, and nothing in it is kept.
      await engine.kill()
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

function isReady(bin: string, port: number): Promise<boolean> {
  try {
    execFileSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' })
    return Promise.resolve(true)
  } catch {
    return Promise.resolve(false)
  }
}
