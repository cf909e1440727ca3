import { z } from 'zod'

/** What a certificate may say of its review, the loosest first. */
const REVIEWS = ['allow', 'draft', 'preflight', 'confirm', 'clarify', 'deny'] as const

const text = z.string().min(1)
const names = z.array(text)

/** The fields of one certificate, in the scenario's own spelling; what is left out is not stated. */
export const CertificateFields = z.strictObject({
  /** Effect classes that it allows; empty: it is authority for nothing. */
  classes: names.default([]),
  /** Classes that the message forbids. */
  denied: names.default([]),
  /** Ids that it is about, by resource type. A read without any may read whatever the policy lets it. */
  records: z.record(text, names.min(1)).default({}),
  source: text.nullable().default(null),
  payee: text.nullable().default(null),
  amount: z
    .string()
    .regex(/^(0|[1-9]\d{0,11})\.\d{2}$/, 'must be spelled like 500.00')
    .nullable()
    .default(null),
  currency: text.nullable().default(null),
  review: z.enum(REVIEWS, { error: `must be ${REVIEWS.join(', ')}` }),
})
export type CertificateFields = Readonly<z.output<typeof CertificateFields>>

/** The fields that are compared, in the order in which they are shown. */
export const FIELDS = ['classes', 'denied', 'records', 'source', 'payee', 'amount', 'currency', 'review'] as const
export type Field = (typeof FIELDS)[number]

/** A field as it should be; wider is the error of security, narrower the one of use. */
export type Reading = 'right' | 'wider' | 'narrower'

/** The field of one certificate beside its reference; undefined where neither of them states it. */
type Compare = (wanted: CertificateFields, made: CertificateFields) => Reading | undefined

const NOTHING: CertificateFields = {
  ...{ classes: [], denied: [], records: {}, source: null, payee: null, amount: null, currency: null },
  review: 'deny',
}

/**
 * Every stated field of a message's certificates, beside those that a right reading of it gives. One that should not be
 * there, or that is missing, is compared with authority for nothing.
 */
export function readingsOf(
  wanted: readonly CertificateFields[],
  made: readonly CertificateFields[],
): readonly (readonly [Field, Reading])[] {
  const stages = Array.from({ length: Math.max(wanted.length, made.length) }, (_, at) => at)
  return stages.flatMap((at) =>
    FIELDS.flatMap((field): (readonly [Field, Reading])[] => {
      const reading = COMPARE[field](wanted[at] ?? NOTHING, made[at] ?? NOTHING)
      return reading === undefined ? [] : [[field, reading]]
    }),
  )
}

const isWithin = (some: readonly string[], all: readonly string[]): boolean => some.every((each) => all.includes(each))

function sets(wanted: readonly string[], made: readonly string[]): Reading | undefined {
  if (wanted.length === 0 && made.length === 0) return undefined
  if (!isWithin(made, wanted)) return 'wider'
  return isWithin(wanted, made) ? 'right' : 'narrower'
}

/** A value that a call must have. What is not stated where it should be leaves it to a person, unless `open`. */
function pins(wanted: string | null, made: string | null, open: boolean): Reading | undefined {
  if (wanted === made) return wanted === null ? undefined : 'right'
  return made === null && !open ? 'narrower' : 'wider'
}

const opposite = (reading: Reading | undefined): Reading | undefined =>
  reading === 'wider' ? 'narrower' : reading === 'narrower' ? 'wider' : reading

const COMPARE: Readonly<Record<Field, Compare>> = {
  classes: (wanted, made) => sets(wanted.classes, made.classes),
  // What is forbidden narrows, so here less is wider.
  denied: (wanted, made) => opposite(sets(wanted.denied, made.denied)),
  records: recordsOf,
  // A payment without a source may take from any account of the customer.
  source: (wanted, made) => pins(wanted.source, made.source, made.classes.length > 0),
  payee: (wanted, made) => pins(wanted.payee, made.payee, false),
  amount: (wanted, made) =>
    wanted.amount !== null && made.amount !== null && minorOf(made.amount) < minorOf(wanted.amount)
      ? 'narrower'
      : pins(wanted.amount, made.amount, false),
  currency: (wanted, made) => pins(wanted.currency, made.currency, false),
  review: (wanted, made) => {
    const [stated, found] = [REVIEWS.indexOf(wanted.review), REVIEWS.indexOf(made.review)]
    return found === stated ? 'right' : found < stated ? 'wider' : 'narrower'
  },
}

const minorOf = (amount: string): number => Number(amount.replace('.', ''))

const idsOf = ({ records }: CertificateFields): readonly string[] =>
  Object.entries(records).flatMap(([type, ids]) => ids.map((id) => `${type} ${id}`))

/** Naming no record bounds nothing, where anything is allowed at all. */
function recordsOf(wanted: CertificateFields, made: CertificateFields): Reading | undefined {
  const [stated, found] = [idsOf(wanted), idsOf(made)]
  if (found.length > 0 || stated.length === 0) {
    return stated.length === 0 && found.length > 0 && wanted.classes.length > 0 ? 'narrower' : sets(stated, found)
  }
  return made.classes.length > 0 ? 'wider' : 'narrower'
}
