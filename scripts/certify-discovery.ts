import type { Case, Problem, Target } from './certify-case.ts'
import { isJson, isObject } from './certify-checks.ts'

const ENDPOINTS = [
  'access_evaluations_endpoint',
  'search_subject_endpoint',
  'search_resource_endpoint',
  'search_action_endpoint',
] as const

const discovery = (id: string, says: string, check: (target: Target) => Problem): Case => ({
  id,
  level: 'Discovery',
  says,
  // Asked before the cases run.
  run: (target) => Promise.resolve(target.metadata.status === 200 ? check(target) : `status ${target.metadata.status}`),
})

const field = ({ metadata: { body } }: Target, name: string): unknown => (isObject(body) ? body[name] : undefined)

const isHttps = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:'

/** Discovery certification: PDP Metadata. */
export const DISCOVERY: readonly Case[] = [
  discovery('c-6-1', 'has a document at the well-known path', () => undefined),
  discovery('c-6-2', 'answers 200 with JSON', ({ metadata }) => isJson(metadata, { body: '' })),
  discovery('c-6-3', 'names itself and its evaluation endpoint', (target) => {
    if (!isHttps(field(target, 'policy_decision_point'))) return 'policy_decision_point is not an HTTPS URL'
    return typeof field(target, 'access_evaluation_endpoint') === 'string' ? undefined : 'no access_evaluation_endpoint'
  }),
  discovery('c-6-4', 'has text, lists and tokens where it should', (target) => {
    if (!isObject(target.metadata.body)) return 'not a JSON object'
    const capabilities = field(target, 'capabilities')
    if (capabilities !== undefined && !isTexts(capabilities)) return 'capabilities are not a list of texts'
    const signed = field(target, 'signed_metadata')
    return signed === undefined || typeof signed === 'string' ? undefined : 'signed_metadata is not text'
  }),
  discovery('c-6-5', 'is of the PDP that was asked, over HTTPS throughout', (target) => {
    if (field(target, 'policy_decision_point') !== target.base) return 'policy_decision_point is another base'
    if (!isHttps(field(target, 'access_evaluation_endpoint'))) return 'access_evaluation_endpoint is not an HTTPS URL'
    const wrong = ENDPOINTS.find((name) => field(target, name) !== undefined && !isHttps(field(target, name)))
    if (wrong !== undefined) return `${wrong} is not an HTTPS URL`
    return field(target, 'signed_metadata') === undefined
      ? undefined
      : 'signed_metadata: its signature is not checked here'
  }),
  discovery('c-6-6', 'is there: a 404 fails this level', () => undefined),
]

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string')
