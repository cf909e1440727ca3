import { expect, it } from 'vitest'
import { decidedKinds } from '../../bench/decided-kinds.ts'

const permits = { room: 'login', kind: 'permit', code: null }

it('takes what a line decides, not what an opinion beside it permits', () => {
  const refused = { id: '1', kind: 'deny', code: 'agent.intent_not_found', opinions: [permits] }
  const permitted = { id: '2', kind: 'permit', code: null, opinions: [permits] }
  const stdout = [refused, permitted].map((answer) => `${JSON.stringify(answer)}\n`).join('')
  expect(decidedKinds(stdout)).toEqual(['deny', 'permit'])
})
