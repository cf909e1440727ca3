import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import stringWidth from 'string-width'
import type { Diagnosis } from '../../src/cli/doctor.ts'
import { newPlace, run, twoAtATime, type Ended } from './bin.ts'
import { SOUND, UNSOUND } from './diagnoses.ts'

const COLUMNS = 40
const LOOKS = [
  { look: 'plain', env: { NO_COLOR: '1', FORCE_COLOR: '1' } },
  { look: 'colored', env: { FORCE_COLOR: '1' } },
] as const
const golden = (name: string): string => `../golden/cli/${name}.txt`

const place = newPlace()
const SPOKEN = ['show acc-alice-savings', '/why', '/help', '/tools', '/quit'].join('\n')
let endings: readonly Ended[] = []
beforeAll(async () => {
  const at = (env: object) => ({ place, env: { COLUMNS: String(COLUMNS), ...env } })
  endings = await twoAtATime(
    LOOKS.flatMap(({ env }) => [
      () => run(['chat', '--as', 'bob'], { ...at(env), input: SPOKEN }),
      () => run(['explain', 'pdp.denied'], at(env)),
      () => run(['explain'], at(env)),
      () => run(['chat', '--help'], at(env)),
    ]),
  )
}, 60_000)
afterAll(() => {
  place.remove()
})

const masked = (text: string): string => text.replaceAll(/\d+\.\d ms/g, '0.0 ms')
const widest = (text: string): number => Math.max(...text.split('\n').map((line) => stringWidth(line)))

describe.each(LOOKS)(`a terminal of ${COLUMNS} columns, $look`, ({ look, env }) => {
  const at = 4 * LOOKS.findIndex((each) => each.look === look)

  it('has the call, /why, /help and /tools as in the golden', async () => {
    const { code, stdout } = endings[at]!
    expect(code).toBe(0)
    await expect(masked(stdout)).toMatchFileSnapshot(golden(`narrow-chat-${look}`))
  })

  it('has explain as in the golden', async () => {
    const { code, stdout } = endings[at + 1]!
    expect([code, widest(stdout)]).toEqual([0, expect.toSatisfy((width: number) => width <= COLUMNS)])
    await expect(stdout).toMatchFileSnapshot(golden(`narrow-explain-${look}`))
  })

  it('has the list of codes and the help within its width', () => {
    expect(widest(endings[at + 2]!.stdout)).toBeLessThanOrEqual(COLUMNS)
    // How it is used and an example are to be copied, so they stay in one piece.
    const [, help = ''] = /\n([^]*)\nExample:/.exec(endings[at + 3]!.stdout) ?? []
    expect(widest(help)).toBeLessThanOrEqual(COLUMNS)
  })

  it('has doctor as in the golden', async () => {
    const text = [await drawn(SOUND, env), await drawn(UNSOUND, env)].join('\n\n')
    expect(widest(text)).toBeLessThanOrEqual(COLUMNS)
    await expect(`${text}\n`).toMatchFileSnapshot(golden(`narrow-doctor-${look}`))
  })
})

/** Colors are chosen when the program starts. */
async function drawn(diagnosis: Diagnosis, env: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, value] of Object.entries({ COLUMNS: String(COLUMNS), ...env })) vi.stubEnv(name, value)
  vi.resetModules()
  const { diagnosisText } = await import('../../src/cli/doctor.io.ts')
  return diagnosisText(diagnosis, false)
}
afterEach(() => {
  vi.resetModules()
})
