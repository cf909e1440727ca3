import type { IntentClass } from '../../../src/certificates/derivation.ts'
import { grammarDeriver } from '../../../src/certificates/grammar/grammar-deriver.ts'
import { isWrite } from '../../../src/certificates/grammar/negation.ts'
import { alice } from './alice.ts'

/** Writes of a message that nothing holds up: not taken back, not a choice of the user's, not for a day. */
export function standing(message: string): readonly IntentClass[] {
  const { steps, conflict } = grammarDeriver.derive(message, alice)
  if (conflict) return []
  return steps
    .filter((step) => isWrite(step.class) && !step.missing.includes('choice') && !step.missing.includes('date'))
    .map((step) => step.class)
}
