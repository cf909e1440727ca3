import { describe, expect, it } from 'vitest'
import type { Derivation, SubjectFacts } from '../../src/certificates/derivation.ts'
import { grammarDeriver } from '../../src/certificates/grammar/grammar-deriver.ts'
import { issueCertificates } from '../../src/certificates/issue.ts'
import { certificateSettings } from '../../src/certificates/settings.ts'
import { alice } from './grammar/alice.ts'
import { derivation, openDesk, transfer } from './support.ts'

const CLASSES = ['read', 'summarize', 'transform', 'create', 'update', 'delete', 'move_money'] as const

function stages(given: Derivation, text: string, facts: SubjectFacts = alice): readonly string[] {
  const issued = issueCertificates({
    derivation: given,
    message: { text, hidden: false },
    binding: {
      ...{ actorId: 'a', appId: 'a', keyId: 'k', tenantId: 'canbank', workspaceId: null },
      ...{ sessionId: 's', messageId: 'm' },
    },
    requestHash: '',
    facts,
    offered: new Set(CLASSES),
    versions: { canon: '', policy: '', registry: '', effects: '' },
    classifierSource: 'provided',
    settings: certificateSettings(),
    nowMs: 0,
    newId: () => 'x',
    salt: 'salt',
  })
  return issued.map(({ certificate, step: { class: kind } }) => `${kind} ${certificate.reviewMode}`)
}

const read = (message: string): readonly string[] => stages(grammarDeriver.derive(message, alice), message)

describe('each stage of a message', () => {
  it.each([
    'Show my balance and, if it is enough, pay Bob 500 kr from checking',
    'Show my balance. Pay Bob 500 kr when I say go.',
    'Check my balance. Would you pay Bob 500 kr if you were me?',
    'What is my balance? If I have more than 1000 kr, pay Bob 500 kr.',
    'Show my invoice. If it looks right, pay it.',
    'Vis saldoen min. Betal Bob 500 kr fra brukskonto hvis jeg har nok.',
    'Kva er saldoen min? Betal Bob 500 kr frå brukskontoen når eg seier til.',
  ])('is as sure as its own words, however sure the first one is: %s', (message) => {
    expect(read(message)).toEqual(['read allow', 'move_money clarify'])
  })

  it.each([
    ['Show my balance. Pay Bob 500 kr from checking.', ['move_money confirm']],
    ['Pay Bob 500 kr from checking. If he asks, pay Oslo Bolig 20 kr.', ['move_money confirm', 'move_money clarify']],
    ['If he asks, pay Bob 500 kr from checking', ['move_money clarify']],
  ])('has a review of its own: %s', (message, expected) => {
    expect(read(message)).toEqual(expected)
  })

  const update = { class: 'update', records: [], texts: [], missing: [] } as const

  it.each([
    { what: 'is as sure as the message', fields: {}, confidence: 0.9, review: 'update allow' },
    { what: 'is less sure by its own words', fields: { confidence: 0.6 }, confidence: 0.9, review: 'update preflight' },
    { what: 'does not raise the message', fields: { confidence: 1 }, confidence: 0.6, review: 'update preflight' },
    { what: 'is not sure of no number', fields: { confidence: NaN }, confidence: 0.9, review: 'update clarify' },
  ])('of whatever deriver $what', ({ fields, confidence, review }) => {
    expect(stages(derivation([{ ...update, ...fields }], { confidence }), 'x')).toEqual([review])
  })

  it('of whatever deriver is asked about when the user has yet to choose', () => {
    expect(stages(derivation([{ ...update, missing: ['choice'] }], { confidence: 1 }), 'x')).toEqual(['update clarify'])
    expect(stages(derivation([{ ...update, class: 'read', missing: ['choice'] }]), 'x')).toEqual(['read allow'])
  })

  it('lets the user see first, and asks about the write that a later one leaves open', () => {
    const open = [
      { ...update, class: 'read' },
      { ...update, class: 'move_money', missing: ['choice'] },
    ] as const
    const { say, call, room } = openDesk({ deriver: { id: 'open@1', derive: () => derivation(open) } })
    say({ text: 'Show my balance and, if it is enough, pay Bob' })
    const kinds = [call('get_account_balance', { account_id: 'acc-alice-savings' }), call('transfer_money', transfer())]
    expect(kinds.map((each) => room.judge(each).decision.kind)).toEqual(['permit', 'clarify'])
  })
})
