import { describe, expect, it } from 'vitest'
import { readScript, type Script, scriptedBrain } from '../../standins/scripted.ts'
import { SettingError } from '../../src/core/setting-error.ts'

const conversation = (roles: string) => ({
  messages: Array.from(roles, (role) => ({
    role: { s: 'system', u: 'user', a: 'assistant', t: 'tool' }[role] ?? role,
    content: '',
  })),
})
const a = { calls: [{ name: 'a', arguments: '{' }] }
const b = { text: 'b' }
const over = { text: 'The script is over.' }

describe('the step of a script', () => {
  it.each<{ script: Script; roles: string; step: object; why: string }>([
    { script: [a, b], roles: 'su', step: a, why: 'first when the assistant has said nothing' },
    { script: [a, b], roles: 'suat', step: b, why: 'second after one message of the assistant' },
    { script: [a, b], roles: 'suatu', step: b, why: 'counted over the turns' },
    { script: [a, b], roles: 'suataua', step: over, why: 'a last text when the script is over' },
    { script: [], roles: 'u', step: over, why: 'a last text when there is no script' },
    { script: [[a], [b]], roles: 'su', step: a, why: 'first of the first turn' },
    { script: [[a], [b]], roles: 'suat', step: over, why: 'a last text when the turn is over' },
    { script: [[a], [b]], roles: 'suataaau', step: b, why: 'first of the second turn, however the first went' },
    { script: [[a], [b]], roles: 'uauau', step: over, why: 'a last text after the last turn' },
  ])('is $why', async ({ script, roles, step }) => {
    expect(await scriptedBrain(script)(conversation(roles))).toEqual(step)
  })

  it('ends with the answer that was given for the end', async () => {
    expect(await scriptedBrain([a], { text: 'bye' })(conversation('ua'))).toEqual({ text: 'bye' })
  })
})

describe('a script file', () => {
  it('is read with its arguments and ids as they are', () => {
    const steps = [
      {
        calls: [
          { name: 'x', arguments: '{"a":1,"a":2}', id: 'same' },
          { name: 'x', arguments: { a: [1] } },
        ],
      },
      b,
    ]
    expect(readScript(JSON.stringify({ script: 1, steps }), 'attack.json')).toEqual(steps)
  })

  it.each([
    ['{', 'attack.json', /not JSON/],
    ['{"script":1,"script":1,"steps":[]}', 'attack.json', /duplicate key/],
    ['[]', 'attack.json', /expected object/],
    ['{"script":2,"steps":[{"text":""}]}', 'attack.json, field script', /1/],
    ['{"script":1,"steps":[]}', 'attack.json, field steps', /./],
    ['{"script":1,"steps":[{}]}', 'attack.json, field steps[0]', /needs text or calls/],
    [
      '{"script":1,"steps":[{"text":"a"},{"calls":[{"arguments":{}}]}]}',
      'attack.json, field steps[1].calls[0].name',
      /string/,
    ],
    [
      '{"script":1,"steps":[{"calls":[{"name":"x","arguments":7}]}]}',
      'attack.json, field steps[0].calls[0].arguments',
      /./,
    ],
    ['{"script":1,"steps":[{"txt":"a"}]}', 'attack.json, field steps[0]', /txt|needs/],
    ['{"script":1,"steps":[{"text":"a"}],"note":1}', 'attack.json', /note/],
  ])('%s is refused with the place of the fault', (text, what, problem) => {
    const read = () => readScript(text, 'attack.json')
    expect(read).toThrow(SettingError)
    expect(read).toThrow(expect.objectContaining({ what, problem: expect.stringMatching(problem) as string }))
  })
})
