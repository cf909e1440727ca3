export type { AttemptedCall, GatedSession, ModelChoice, TurnRecord } from '../adapters/hosts/session.ts'
export { createGate, gateSession } from './compose/app.io.ts'
export type { CertificateChoice } from './compose/certificates.io.ts'
export type { AppGate, AppSessionOptions, GateSettings, LoginSettings } from './compose/app.io.ts'
