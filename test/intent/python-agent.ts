import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const fixture = fileURLToPath(new URL('../fixtures/python-agent/', import.meta.url))
const cache = fileURLToPath(new URL('../../.cache/', import.meta.url))
const python = 'python3'

export interface PythonAgent {
  readonly url: URL
  close(): Promise<void>
}

/**
 * Installs the pinned packages below `.cache`, once for each list and each Python.
 * @returns the folder for PYTHONPATH.
 * @throws when Python, pip or a package is missing.
 */
export async function installPackages(): Promise<string> {
  const requirements = `${fixture}requirements.txt`
  const run = promisify(execFile)
  const { stdout: version } = await run(python, ['--version'])
  const key = createHash('sha256').update(version).update(readFileSync(requirements)).digest('hex').slice(0, 16)
  const ready = `${cache}python-agent-${key}`
  if (existsSync(ready)) return ready
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(`${cache}python-agent-install-`)
  // The list is complete, so pip has nothing to resolve.
  const quickly = ['--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile']
  const args = ['-m', 'pip', 'install', ...quickly, '--target', folder, '-r', requirements]
  try {
    await run(python, args, { timeout: 240_000 })
    // One rename, so that a second run of the tests finds all of it or nothing.
    renameSync(folder, ready)
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true })
    if (!existsSync(ready)) throw cause
  }
  return ready
}

/** Starts the agent; it ends with its standard input, so it cannot outlive the test. */
export async function startPythonAgent(packages: string): Promise<PythonAgent> {
  const child = spawn(python, [`${fixture}server.py`], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', PYTHONPATH: packages },
  })
  const exited = new Promise<void>((resolve) =>
    child.once('close', () => {
      resolve()
    }),
  )
  for await (const line of createInterface({ input: child.stdout })) {
    const { port } = JSON.parse(line) as { port: number }
    return {
      url: new URL(`http://127.0.0.1:${port}/`),
      close: () => {
        child.stdin.end()
        return exited
      },
    }
  }
  throw new Error('the Python agent ended before it named its port')
}
