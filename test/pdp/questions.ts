import type { Evaluation, NonEmpty } from '../../src/core/authzen.ts'
import { subjectId, tenantId } from '../../src/core/ids.ts'
import type { Login } from '../../src/core/login.ts'
import type { PdpQuestion } from '../../src/pdp/pdp.ts'

/** As `login/verify.ts` would make it. */
export const loginOf = (id: string, token = `token-of-${id}`): Login =>
  ({
    tenant: tenantId('canbank'),
    subject: { type: 'Customer', id: subjectId(id) },
    token,
    expiresAtMs: Number.MAX_SAFE_INTEGER,
  }) as Login

export const evaluation = (who: string, name: string, type: string, id: string): Evaluation => ({
  subject: { type: 'Customer', id: who },
  action: { name },
  resource: { type, id },
})

export const question = (...evaluations: NonEmpty<Evaluation>): PdpQuestion => ({
  evaluations,
  login: loginOf(evaluations[0].subject.id),
})

const actions: Readonly<Record<string, string>> = {
  Account: 'VIEW_ACCOUNT_BALANCE',
  Invoice: 'VIEW_INVOICE',
  Customer: 'VIEW_CUSTOMER_PROFILE',
}

/** May `who` view the account, invoice or customer? */
export const view = (who: string, type: string, id: string): Evaluation =>
  evaluation(who, actions[type] ?? 'VIEW', type, id)

export const transfer = (who: string, id: string): Evaluation => evaluation(who, 'TRANSFER_FROM_ACCOUNT', 'Account', id)
