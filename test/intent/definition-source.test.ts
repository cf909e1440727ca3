import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { pass } from '../../src/core/verdict.ts'
import { checkCoverage } from '../../src/intent/coverage.ts'
import { definitionSource } from '../../src/intent/definition-source.ts'
import { balance, callOf, evaluationOf, invoice, patient, rates, toolOf, transfer, viewBobs } from './fixtures.ts'

const lists = toolOf('compare', 'Compare', [{ argument: 'ids', type: 'Account', actions: ['VIEW', 'OWN'] }])
const extract = (call: ReturnType<typeof callOf>) => definitionSource().extract({ call, sentence: '' }, patient())

describe('definitionSource', () => {
  it.each([
    {
      what: 'the resource argument',
      call: callOf(balance, { account_id: 'acc-bob-checking' }),
      evaluations: [viewBobs],
    },
    {
      what: 'the first of several actions, and no destination',
      call: callOf(transfer, { from_account: 'acc-a', to_account: 'acc-b' }),
      evaluations: [evaluationOf('TRANSFER_FROM_ACCOUNT', 'Account', 'acc-a')],
    },
    { what: 'the tool itself', call: callOf(rates, {}), evaluations: [evaluationOf('USE', 'Tool', 'get_rates')] },
    {
      what: 'each element of a list',
      call: callOf(lists, { ids: ['acc-a', 'acc-b'] }),
      evaluations: [evaluationOf('VIEW', 'Account', 'acc-a'), evaluationOf('VIEW', 'Account', 'acc-b')],
    },
  ])('asks for $what', async ({ call, evaluations }) => {
    expect(await extract(call)).toEqual(pass(evaluations))
  })

  it('refuses a resource argument that holds no id', async () => {
    expect(await extract(callOf(invoice, { invoice_id: 7 }))).toMatchObject({ reason: 'coverage.resource_missing' })
  })

  test.prop([fc.option(fc.oneof(fc.string(), fc.array(fc.string())), { nil: undefined })])(
    'covers what it extracts',
    async (ids) => {
      const call = callOf(lists, { ids })
      const extracted = await extract(call)
      expect(extracted.ok && checkCoverage(call, extracted.value).ok).toBe(true)
    },
  )
})
