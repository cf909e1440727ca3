import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { agentdojoCommand, type AgentdojoCommandOptions } from '../../src/cli/agentdojo.io.ts'
import { TINY_SUITE } from './tiny-suite.ts'

const options: AgentdojoCommandOptions = {
  ...{ order: 'both', mode: 'both', certificates: 'off', approver: 'true-action' },
}

function tinyFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'suite-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
  })
  const file = join(folder, 'suite.json')
  writeFileSync(file, JSON.stringify(TINY_SUITE))
  return file
}

async function printed(given: Partial<AgentdojoCommandOptions>): Promise<string> {
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  await agentdojoCommand({ ...options, agentdojo: tinyFile(), ...given })
  return written.join('')
}

describe('scenarios agentdojo', () => {
  it('says how the runs were carried, and puts both set-ups side by side', async () => {
    const text = await printed({})
    expect(text).toContain('all 15 runs, carried by the gate alone, without a runtime')
    expect(text).toContain('prompt only (by construction)')
    expect(text).toContain('12/12')
  })

  it('takes the file from AGENTDOJO_FILE, and says so when there is none', async () => {
    vi.stubEnv('AGENTDOJO_FILE', '')
    await expect(agentdojoCommand(options)).rejects.toThrow('--agentdojo: is missing')
    vi.stubEnv('AGENTDOJO_FILE', tinyFile())
    await expect(agentdojoCommand({ ...options, runtime: '0' })).rejects.toThrow('--runtime: "0" is no number of runs')
  })

  it('prints as JSON what happened in each run, without any text of the suite', async () => {
    const text = await printed({ json: true, mode: 'gate', order: 'after' })
    const { setups } = JSON.parse(text) as { setups: { runs: { id: string; landed: boolean }[] }[] }
    expect(setups[0]?.runs).toHaveLength(9)
    for (const { prompt } of Object.values(TINY_SUITE.user_tasks)) expect(text).not.toContain(prompt)
  })

  it('says which file cannot be read', async () => {
    await expect(printed({ agentdojo: '/none.json' })).rejects.toThrow(
      '--agentdojo /none.json: cannot be read (ENOENT)',
    )
  })
})
