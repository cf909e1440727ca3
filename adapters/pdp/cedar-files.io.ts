import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { SettingError } from '../../src/core/setting-error.ts'
import { strictJson, StrictJsonError } from '../../src/core/strict-json.ts'
import { bankEntities, type BankFacts } from './cedar-bank.ts'
import type { CedarEntity, CedarSource, CedarText } from './cedar-source.ts'

/** Files in place of the demo bank's own; each may be left out. */
export interface CedarFiles {
  readonly CEDAR_SCHEMA_FILE?: string | undefined
  readonly CEDAR_POLICIES_FILE?: string | undefined
  readonly CEDAR_ENTITIES_FILE?: string | undefined
}

const HERE = fileURLToPath(new URL('../../pdp/cedar/', import.meta.url))

/**
 * What Cedar decides by for one bank: the given files, else `pdp/cedar/` and the bank's own data.
 * @throws SettingError for a file that cannot be read, or entities that are not a list in Cedar's JSON format.
 */
export const readCedar = (files: CedarFiles, bank: BankFacts): CedarSource => ({
  schema: textOf('CEDAR_SCHEMA_FILE', files.CEDAR_SCHEMA_FILE ?? `${HERE}bank.cedarschema`),
  policies: textOf('CEDAR_POLICIES_FILE', files.CEDAR_POLICIES_FILE ?? `${HERE}bank.cedar`),
  entities: {
    setting: 'CEDAR_ENTITIES_FILE',
    list: files.CEDAR_ENTITIES_FILE === undefined ? bankEntities(bank) : entitiesOf(files.CEDAR_ENTITIES_FILE),
  },
})

/** A device has no end, and a larger file is not one of policies. */
const MAX_BYTES = 16 * 1024 * 1024

function textOf(setting: string, path: string): CedarText {
  const fix = 'Name a file that this user can read.'
  try {
    const stats = statSync(path)
    if (!stats.isFile()) throw new SettingError(setting, 'is no regular file', fix)
    if (stats.size > MAX_BYTES) throw new SettingError(setting, 'is over 16 MiB', fix)
    return { setting, text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) }
  } catch (cause) {
    if (cause instanceof SettingError) throw cause
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown failure'
    const problem = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8' : `cannot be read (${code})`
    throw new SettingError(setting, problem, fix)
  }
}

const Uid = z.strictObject({ type: z.string(), id: z.string() })
const Entity = z.strictObject({
  uid: z.union([Uid, z.strictObject({ __entity: Uid }).transform((each) => each.__entity)]),
  attrs: z.record(z.string(), z.json()).default({}),
  parents: z.array(z.union([Uid, z.strictObject({ __entity: Uid }).transform((each) => each.__entity)])).default([]),
  tags: z.record(z.string(), z.json()).optional(),
})

function entitiesOf(path: string): readonly CedarEntity[] {
  const setting = 'CEDAR_ENTITIES_FILE'
  const fix =
    'Write a list of entities in the JSON format of Cedar: [{"uid":{"type":"…","id":"…"},"attrs":{},"parents":[]}].'
  try {
    const parsed = z.array(Entity).safeParse(strictJson(textOf(setting, path).text))
    if (parsed.success) return parsed.data.map(({ tags, ...each }) => (tags === undefined ? each : { ...each, tags }))
    const [issue] = parsed.error.issues
    throw new SettingError(setting, `is wrong at ${issue?.path.join('.') ?? 'its top'}: ${issue?.message ?? ''}`, fix)
  } catch (cause) {
    if (cause instanceof StrictJsonError) throw new SettingError(setting, `is not strict JSON: ${cause.message}`, fix)
    throw cause
  }
}
