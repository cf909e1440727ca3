import { isJsonObject } from './json-object.ts'

/**
 * Whether an object from outside carries an `error` or `errors` that says something: what stands beside it was then made
 * of incomplete data. Null, false, empty text and an empty list or object say nothing: some peers always write the field.
 */
export const reportsError = (value: unknown): boolean =>
  isJsonObject(value) && ['error', 'errors'].some((key) => Object.hasOwn(value, key) && saysSomething(value[key]))

/** False for an absent value, null, false, empty text, and an empty list or object. */
export const saysSomething = (value: unknown): boolean =>
  !(
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  )
