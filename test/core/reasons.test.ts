import { expect, it } from 'vitest'
import { REASONS, type Reason } from '../../src/core/reasons.ts'

const reasons: [string, Reason][] = Object.entries(REASONS)

it('keeps its reason codes, statuses and sentences', async () => {
  await expect(`${JSON.stringify(REASONS, null, 2)}\n`).toMatchFileSnapshot('../golden/reasons.json')
})

it.each(reasons)('says what happened and what to do in whole sentences: %s', (_code, { says, fix }) => {
  for (const text of [says, fix]) expect(text).toMatch(/^[A-Za-z`].*[.]$/)
})

it('gives each code a room and a name, or the name of a firewall rule', () => {
  for (const [code] of reasons) expect(code).toMatch(/^(?:[a-z]+\.[a-z_]+|[a-z]+(?:-[a-z]+)+)$/)
})
