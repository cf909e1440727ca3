import type { CedarSource } from './cedar-source.ts'

/** The settings of a PDP; each may be given for one tenant alone, as `NAME__TENANT`. */
export const PDP_SETTINGS = [
  'AUTHZEN_PDP_URL',
  'AUTHZEN_PDP_TOKEN',
  'AUTHZEN_PDP_HEADER_NAME',
  'AUTHZEN_PDP_HEADER_VALUE',
  'AUTHZEN_PDP_CLIENT_KEY',
  'OPENFGA_API_URL',
  'OPENFGA_STORE_ID',
  'OPENFGA_API_TOKEN',
  'OPENFGA_AUTHORIZATION_MODEL_ID',
  'CEDAR_SCHEMA_FILE',
  'CEDAR_POLICIES_FILE',
  'CEDAR_ENTITIES_FILE',
] as const
export type PdpSetting = (typeof PDP_SETTINGS)[number]

/** The settings that a PDP kind may read, resolved: flag, then environment, then `.env`. */
export interface PdpSettings extends Readonly<Partial<Record<PdpSetting, string | undefined>>> {
  /** Base of the embedded stand-in, when it runs. */
  readonly standinUrl?: string | undefined
  /** What Cedar decides by; read by `readCedar`. */
  readonly cedar?: CedarSource | undefined
  /** True when logins come from a real issuer. @defaultValue false: from the embedded one */
  readonly realLogins?: boolean | undefined
}
