import { createEstimateSum, NO_ESTIMATE, type Estimate } from '../runner/estimate.ts'
import type { RunRecord } from '../runner/record.ts'
import { FIELDS, readingsOf, type Field } from '../runner/reference.ts'
import { estimateCells } from './scenarios-metrics.ts'
import type { Grid } from './scenarios-view.ts'

/** How often a field of the certificates is what a right reading of the message gives. */
export interface FieldAccuracy {
  readonly field: Field
  readonly right: Estimate
  /** It allows more: the error of security. */
  readonly wider: number
  /** It allows less: the error of use. */
  readonly narrower: number
}

/** Adds up certificates beside the references of their scenarios (intent-certificate model, metrics). */
export interface AccuracySum {
  add(record: RunRecord): void
  /** Fields that some scenario states, in order; empty without any reference. */
  sum(): readonly FieldAccuracy[]
}

export function createAccuracySum(): AccuracySum {
  const right = createEstimateSum(FIELDS)
  const errors = { wider: new Map<Field, number>(), narrower: new Map<Field, number>() }
  return {
    add: ({ scenario, facts: { reference = [] }, issued }) => {
      // A run of before kept no certificates, and a turn that was never reached made none.
      for (const [turn, made] of (issued ?? []).entries()) {
        const wanted = reference[turn] ?? undefined
        for (const [field, reading] of wanted === undefined ? [] : readingsOf(wanted, made)) {
          right.add(scenario, field, { numerator: Number(reading === 'right'), denominator: 1 })
          if (reading !== 'right') errors[reading].set(field, (errors[reading].get(field) ?? 0) + 1)
        }
      }
    },
    sum: () => {
      const estimates = right.estimates(FIELDS)
      return FIELDS.map((field) => ({
        field,
        right: estimates.get(field) ?? NO_ESTIMATE,
        wider: errors.wider.get(field) ?? 0,
        narrower: errors.narrower.get(field) ?? 0,
      })).filter((each) => each.right.denominator > 0)
    },
  }
}

const TITLES: Readonly<Record<Field, string>> = {
  ...{ classes: 'class', denied: 'class forbidden', records: 'resource', source: 'source', payee: 'payee' },
  ...{ amount: 'amount', currency: 'currency', review: 'mode' },
}

/** Titles of the columns of `accuracyRows`, but for the first. */
export const ACCURACY_COLUMNS: readonly string[] = ['right', 'share', '95% interval', 'too wide', 'too narrow']

/** Title, counts, share and interval of each field, in order. */
export const accuracyRows = (fields: readonly FieldAccuracy[]): readonly (readonly [string, ...string[]])[] =>
  fields.map(({ field, right, wider, narrower }) => [
    TITLES[field],
    ...estimateCells(right),
    String(wider),
    String(narrower),
  ])

/** The fields of the certificates as a grid, to stand under the metrics. */
export const accuracyGrid = (fields: readonly FieldAccuracy[]): Grid => ({
  columns: ACCURACY_COLUMNS,
  rows: accuracyRows(fields).map(([name, ...cells]) => ({ name, cells })),
})
