import { randomBytes } from 'node:crypto'
import type { CertificateOptions, Certificates } from '../certificates/certificates.ts'
import { createCertificates } from '../certificates/create-certificates.ts'
import { grammarDeriver } from '../certificates/grammar/grammar-deriver.ts'
import type { CertificateMode } from '../certificates/modes.ts'
import type { SubjectFacts } from '../core/facts.ts'
import type { Login } from '../core/login.ts'
import type { World } from '../core/world.ts'

/** How the user's own message bounds what the agent may do. */
export interface CertificateChoice {
  readonly mode: Exclude<CertificateMode, 'off'>
  /** What this login may name in a message; read by the host, never by the model. */
  readonly facts: (login: Login) => SubjectFacts
  /** Hears the certificates of each message. @defaultValue nobody */
  readonly issued?: CertificateOptions['issued']
}

/** Certificates by the grammar deriver, with a key that ends with this process. */
export const openCertificates = ({ mode, facts, issued }: CertificateChoice, { now, newId }: World): Certificates =>
  createCertificates({ mode, facts, issued, deriver: grammarDeriver, key: randomBytes(32).toString('hex'), now, newId })
