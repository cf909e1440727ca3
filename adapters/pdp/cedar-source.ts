import type { CedarValueJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs'

/** One entity in Cedar's JSON entity format. */
export interface CedarEntity {
  readonly uid: TypeAndId
  readonly attrs: Readonly<Record<string, CedarValueJson>>
  readonly parents: readonly TypeAndId[]
  readonly tags?: Readonly<Record<string, CedarValueJson>>
}

/** One text, and the setting that it came from, for what is wrong with it. */
export interface CedarText {
  readonly setting: string
  readonly text: string
}

/** Everything that Cedar decides by. */
export interface CedarSource {
  /** Cedar's own schema syntax. */
  readonly schema: CedarText
  /** Static policies in Cedar's own syntax; an `@id` names one in the audit. */
  readonly policies: CedarText
  /** What is true of subjects and resources. A request's own `properties` are not asked. */
  readonly entities: { readonly setting: string; readonly list: readonly CedarEntity[] }
}
