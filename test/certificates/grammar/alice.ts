import type { Derivation, Step, SubjectFacts } from '../../../src/certificates/derivation.ts'

const source = { isSource: true, currency: 'NOK' }

/** Alice of the demo bank, with names as a host would give them. */
export const alice: SubjectFacts = {
  today: '2026-12-01',
  currency: 'NOK',
  payees: [
    { name: 'Bob', id: 'acc-bob-checking' },
    { name: 'Oslo Bolig', id: 'ext-oslo-bolig' },
  ],
  records: [
    { type: 'Account', id: 'acc-alice-checking', names: ['checking', 'brukskonto'], ...source },
    { type: 'Account', id: 'acc-alice-savings', names: ['savings', 'sparekonto'], ...source },
    { type: 'Account', id: 'acc-joint', names: ['joint', 'felleskonto'], ...source },
    {
      type: 'Invoice',
      id: 'inv-alice-1',
      names: [],
      holds: { payees: ['ext-nordlys-kraft'], amounts: [{ minor: 640_00, currency: 'NOK' }] },
    },
    { type: 'Customer', id: 'alice', names: ['profile', 'profil'] },
  ],
}

/** A derivation in one line: steps, then confidence, then what is forbidden. */
export function inShort({ steps, confidence, denied, conflict, affirmsOnly }: Derivation): string {
  const notes = [
    ...(denied.size === 0 ? [] : [`denies ${[...denied].join(', ')}`]),
    ...(conflict ? ['conflict'] : []),
    ...(affirmsOnly ? ['affirms'] : []),
  ]
  return [...steps.map(stepInShort), confidence.toFixed(1), ...notes].join(' | ')
}

function stepInShort(step: Step): string {
  const { records, source: from, payee, amount, date, texts, missing } = step
  return [
    step.class,
    ...records.map(({ value }) => value),
    ...(from === undefined ? [] : [`from ${from.value}`]),
    ...(payee === undefined ? [] : [`to ${payee.value}`]),
    ...(amount === undefined ? [] : [`${amount.value.minor} ${amount.value.currency}`]),
    ...(date === undefined ? [] : [`on ${date.value}`]),
    ...texts.map(({ value }) => JSON.stringify(value)),
    ...(missing.length === 0 ? [] : [`missing ${missing.join(', ')}`]),
  ].join(' ')
}
