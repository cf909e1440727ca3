import type { Obligation } from '../core/decision.ts'
import { SettingError } from '../core/setting-error.ts'
import type { Money } from './derivation.ts'

/** What an operator may set about certificates. It is part of the policy version: a change ends older certificates. */
export interface CertificateSettings {
  /** Below `medium`: low band. At or above `high`: high band. @defaultValue 0.5 and 0.8 */
  readonly bands: { readonly medium: number; readonly high: number }
  /** Rows that one call may read at most, by band. @defaultValue 100 and 1000 */
  readonly maxRows: { readonly medium: number; readonly high: number }
  /** Lifetime of a certificate that only reads, in ms. @defaultValue 10 minutes */
  readonly readTtlMs: number
  /** Lifetime of a certificate that writes, in ms. @defaultValue 5 minutes */
  readonly writeTtlMs: number
  /** Turns that read authority lives, the message's own counted. @defaultValue 3 */
  readonly turnLimit: number
  /** Calls that one message can permit. @defaultValue 64 */
  readonly callsPerMessage: number
  /** Different refused calls in one turn, after which nothing is looked at. @defaultValue 8 */
  readonly refusalsPerTurn: number
  /** Characters of one free text that nobody gave. @defaultValue 200 */
  readonly freeTextLimit: number
  /**
   * What a further write of the same message needs: a new message; a person's yes, unless it is a change of medium risk
   * at most that the message leaves nothing open of; or what the first would have needed. It never starts before the
   * write ahead of it is done. @defaultValue confirm
   */
  readonly laterSteps: 'wait' | 'confirm' | 'proceed'
  /** What can be met here; any other obligation becomes `confirm`. @defaultValue confirm alone */
  readonly discharges: readonly Obligation[]
  /**
   * What only the model supplies, where a person could be shown it: it is asked of the user; an amount goes on a card,
   * marked as not said, when the user's words or a record that they name settle the payee; or all of it goes on a card.
   * @defaultValue clarify
   */
  readonly modelValues: 'clarify' | 'confirm_amounts' | 'confirm'
  /** Transfers between own accounts up to this run without a person, when every value is the user's. @defaultValue none */
  readonly unattendedOwnTransfersUpTo: Money | null
}

const MINUTE = 60_000
const CEILING_MS = 15 * MINUTE

const DEFAULTS: CertificateSettings = {
  bands: { medium: 0.5, high: 0.8 },
  maxRows: { medium: 100, high: 1000 },
  readTtlMs: 10 * MINUTE,
  writeTtlMs: 5 * MINUTE,
  turnLimit: 3,
  callsPerMessage: 64,
  refusalsPerTurn: 8,
  freeTextLimit: 200,
  laterSteps: 'confirm',
  discharges: ['confirm'],
  modelValues: 'clarify',
  unattendedOwnTransfersUpTo: null,
}

/**
 * The settings with their defaults.
 * @throws SettingError when one is out of range: a gate with such a setting does not start.
 */
export function certificateSettings(given: Partial<CertificateSettings> = {}): CertificateSettings {
  const settings = { ...DEFAULTS, ...given }
  const { bands, maxRows, readTtlMs, writeTtlMs, unattendedOwnTransfersUpTo: unattended } = settings
  checkBands(bands)
  checkInteger('row limit', maxRows.medium, 1, 10_000)
  checkInteger('row limit', maxRows.high, maxRows.medium, 10_000)
  checkInteger('lifetime of reads in ms', readTtlMs, 10_000, CEILING_MS)
  checkInteger('lifetime of writes in ms', writeTtlMs, 10_000, CEILING_MS)
  for (const name of ['turnLimit', 'callsPerMessage', 'refusalsPerTurn', 'freeTextLimit'] as const) {
    checkInteger(name, settings[name], 1, 1000)
  }
  if (unattended !== null) checkInteger('unattended own transfers, in minor units', unattended.minor, 1, 10 ** 14)
  return settings
}

function checkBands({ medium, high }: CertificateSettings['bands']): void {
  if (medium > 0 && medium < high && high <= 1) return
  throw new SettingError(
    'certificate bands',
    `medium ${medium} and high ${high} are out of range`,
    'use 0 < medium < high <= 1, such as 0.5 and 0.8',
  )
}

function checkInteger(what: string, value: number, low: number, high: number): void {
  if (Number.isInteger(value) && value >= low && value <= high) return
  throw new SettingError(`certificate ${what}`, `${value} is out of range`, `use a whole number from ${low} to ${high}`)
}
