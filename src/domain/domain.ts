import { z } from 'zod'
import { SettingError } from '../core/setting-error.ts'
import { StrictJsonError, strictJson } from '../core/strict-json.ts'
import { domainProblem } from './checks.ts'
import { DomainFields, type Domain } from './schema.ts'

/**
 * A domain as data: customers, records, tools and scenarios.
 * @throws SettingError that names the file and the field.
 */
export function readDomain(content: string, file: string): Domain {
  const parsed = DomainFields.safeParse(jsonOf(content, file))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
    throw domainError(file, z.core.toDotPath([...(issue?.path ?? []), ...unknown]), issue?.message ?? 'is not valid')
  }
  const problem = domainProblem(parsed.data)
  if (problem !== undefined) throw domainError(file, problem.field, problem.says)
  return parsed.data
}

/** What is wrong with one field of a domain. */
export const domainError = (file: string, field: string, says: string): SettingError =>
  new SettingError(field === '' ? file : `${file}, field ${field}`, says, 'See src/domain/README.md for the form')

function jsonOf(content: string, file: string): unknown {
  try {
    return strictJson(content)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    throw domainError(file, '', `it is not usable JSON (${cause.message})`)
  }
}
