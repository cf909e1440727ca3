/** AuthZEN 1.0's own words (Authorization API 1.0, Information Model), reduced to the fields that the gate sends. */
export type NonEmpty<T> = readonly [T, ...T[]]

export interface Subject {
  readonly type: string
  readonly id: string
  readonly properties?: Readonly<Record<string, unknown>>
}

export interface Action {
  readonly name: string
  readonly properties?: Readonly<Record<string, unknown>>
}

export interface Resource {
  readonly type: string
  readonly id: string
  readonly properties?: Readonly<Record<string, unknown>>
}

export interface Evaluation {
  readonly subject: Subject
  readonly action: Action
  readonly resource: Resource
  readonly context?: Readonly<Record<string, unknown>>
}
