/** What we promise, one id each. `proves(id)` is how a test says which promise it keeps; one test counts them. */
export const REQUIREMENTS = {
  'decision.only-narrows': 'A further opinion never widens a decision.',
  'gate.fails-closed': 'Whatever is thrown, late or malformed while deciding, the call is denied with its own reason.',
  'gate.permit-once': 'A permit runs its call once; a second run gives the first result and does nothing.',
  'gate.permit-bound':
    'A permit fits one login, session, turn, call id and arguments, until its turn ends or 60 seconds pass.',
  'gate.no-permit-no-run': 'A run without a permit does nothing and is put on record as a bypass.',
  'gate.record-first': 'Nothing runs whose decision could not be written.',
  'gate.obligation-unmet': 'An obligation that nothing can meet is a deny.',
  'gate.pdp-asked-each-time': 'A permit of the PDP is never remembered.',
  'coverage.subject-is-caller': 'Every evaluation is about the signed-in caller.',
  'coverage.every-resource': 'Every resource argument of a call is in an evaluation.',
  'login.from-token-only': 'Tenant and subject come from the verified token and from nowhere else.',
  'login.expiry': 'At and after the expiry of a login nothing is permitted.',
  'arguments.closed': 'Unknown, coerced or oddly spelled arguments refuse the call.',
  'template.no-words': 'No argument can add words to the sentence that is authorized.',
  'tenant.isolation': 'No customer of one bank reaches anything of the other bank.',
  'audit.tamper-evident': 'A changed, cut or reordered audit file does not verify.',
  'ledger.atomic': 'A transfer happens whole or not at all, also when the process is killed.',
  'host.every-call': 'Every way into a tool that the runtime has goes through the gate.',
} as const
export type Requirement = keyof typeof REQUIREMENTS

export const proves = (id: Requirement): string => `[${id}] ${REQUIREMENTS[id]}`
