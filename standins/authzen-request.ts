import { StrictJsonError, strictJson } from '../src/core/strict-json.ts'
import type { Entity, Question } from './pdp.ts'
import { hasContentType, json, type Route, type StandinAnswer } from './serve.ts'

/** A fault of the whole request: its message is the 400's. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest'
}

export type Fields = Readonly<Record<string, unknown>>

/** A route that reads a JSON object; what is wrong with the request is a 400. */
export function guarded(answer: (body: Fields) => StandinAnswer): Route {
  return ({ headers, body }) => {
    try {
      if (!hasContentType(headers, 'application/json')) throw new BadRequest('the content type is not application/json')
      const value = strictJson(body)
      if (!isObject(value)) throw new BadRequest('the body is not an object')
      return answer(value)
    } catch (cause) {
      if (cause instanceof BadRequest || cause instanceof StrictJsonError) return json(400, { message: cause.message })
      throw cause
    }
  }
}

/** AuthZEN 1.0, Access Evaluation Request. @throws BadRequest naming the part that is missing or of a wrong type. */
export function question({ subject, action, resource, context }: Fields): Question {
  optionalObject('context', context)
  return { subject: entity('subject', subject), action: named(action), resource: entity('resource', resource) }
}

/** A subject or a resource. @throws BadRequest naming the part that is missing or of a wrong type. */
export function entity(name: string, value: unknown): Entity {
  const fields = object(name, value)
  return withProperties(name, fields, {
    type: text(`${name}.type`, fields['type']),
    id: text(`${name}.id`, fields['id']),
  })
}

/** The same without an id, which a search leaves out; one that is there is not looked at. */
export function kind(name: string, value: unknown): Omit<Entity, 'id'> {
  const fields = object(name, value)
  return withProperties(name, fields, { type: text(`${name}.type`, fields['type']) })
}

/** An action. @throws BadRequest when it has no name. */
export function named(value: unknown): Question['action'] {
  const fields = object('action', value)
  return withProperties('action', fields, { name: text('action.name', fields['name']) })
}

/** AuthZEN says that null should be left out; one that is there counts as left out. */
export function optionalObject(name: string, value: unknown): Fields | undefined {
  return value === undefined || value === null ? undefined : object(name, value)
}

/** @throws BadRequest when it is not there or of another type. */
export function object(name: string, value: unknown): Fields {
  if (isObject(value)) return value
  throw new BadRequest(`${name} is ${value === undefined ? 'missing' : 'not an object'}`)
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw new BadRequest(`${name} is ${value === undefined ? 'missing' : 'not a string'}`)
}

function withProperties<T extends object>(name: string, fields: Fields, rest: T): T & { readonly properties?: Fields } {
  const properties = optionalObject(`${name}.properties`, fields['properties'])
  return properties === undefined ? rest : { ...rest, properties }
}

/** True for what JSON calls an object. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
