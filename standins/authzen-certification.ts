import type { Entity, PdpKnowledge, Question } from './pdp.ts'

const ENTITIES: readonly Required<Entity>[] = [
  { type: 'user', id: 'alice', properties: {} },
  { type: 'user', id: 'bob', properties: { role: 'admin' } },
  { type: 'record', id: 'record-1', properties: { status: 'active' } },
  { type: 'record', id: 'record-2', properties: { status: 'archived' } },
]
const known = new Map(ENTITIES.map(({ type, id, properties }) => [`${type} ${id}`, properties]))

/** The fixture of the certification scenario (AuthZEN Authorization API 1.0, Certification Scenario, 4). */
export const CERTIFICATION: PdpKnowledge = {
  decide,
  entities: ENTITIES.map(({ type, id }) => ({ type, id })),
  actions: ['read', 'write', 'delete'],
}

/** Rules 1 to 8. What the request says of an entity wins over what is known of it. */
function decide({ subject, action, resource }: Question): boolean {
  const who = factsOf('user', subject)
  const what = factsOf('record', resource)
  if (who === undefined || what === undefined) return false
  switch (action.name) {
    case 'read':
      return true
    case 'write':
      return what['status'] === 'archived' ? who['role'] === 'admin' : subject.id === 'alice'
    case 'delete':
      return action.properties?.['soft'] === true && subject.id === 'alice'
    default:
      return false
  }
}

function factsOf(expected: string, { type, id, properties }: Entity): Readonly<Record<string, unknown>> | undefined {
  const facts = type === expected ? known.get(`${type} ${id}`) : undefined
  return facts === undefined ? undefined : { ...facts, ...properties }
}
