import type { Evaluation, Subject } from '../src/core/authzen.ts'
import type { ToolDefinition } from '../src/core/tool.ts'
import type { KbacPolicy } from './policies.ts'

/** One row of what the agent understands: a sentence form, and one evaluation that it asks for. */
export interface Form {
  /** Rows with the same form are one request with several evaluations. `{name}` marks a value. */
  readonly form: string
  readonly action: string
  /** `resource.type`. */
  readonly type: string
  /** The value that is the resource's id, or the id itself. */
  readonly resource: { readonly capture: string } | { readonly id: string }
  /** What a value may look like, as the source of a regular expression. @defaultValue an id of the bank */
  readonly values?: Readonly<Record<string, string>>
}

const AMOUNTS = { amount: '\\d{1,12}(?:\\.\\d{1,2})?', currency: '[A-Z]{3}' }
const BANK_ID = '[a-z0-9-]{1,64}'
const ONE_WORD = '[!-~]{1,128}'

/** The requests of a bank's customer. Written here, not derived from the tools, so that it is a second opinion. */
export const BANK_FORMS: readonly Form[] = [
  {
    form: 'View the balance of Account {account}',
    action: 'VIEW_ACCOUNT_BALANCE',
    type: 'Account',
    resource: { capture: 'account' },
  },
  {
    form: 'Transfer {amount} {currency} from Account {from} to Account {to}',
    action: 'TRANSFER_FROM_ACCOUNT',
    type: 'Account',
    resource: { capture: 'from' },
    values: AMOUNTS,
  },
  { form: 'View Invoice {invoice}', action: 'VIEW_INVOICE', type: 'Invoice', resource: { capture: 'invoice' } },
  {
    form: 'View the profile of Customer {customer}',
    action: 'VIEW_CUSTOMER_PROFILE',
    type: 'Customer',
    resource: { capture: 'customer' },
  },
]

/** The rows that let the agent understand a tool of an app: its template, and one row for each resource. */
export function formsOf({ name, template, resources }: ToolDefinition): readonly Form[] {
  const values = Object.fromEntries([...template.matchAll(/\{([^{}]+)\}/g)].map(([, value]) => [value ?? '', ONE_WORD]))
  if (resources.length === 0) {
    return [{ form: template, action: 'USE', type: 'Tool', resource: { id: name }, values }]
  }
  return resources.map(({ argument, type, actions }) => ({
    form: template,
    action: actions[0],
    type,
    resource: { capture: argument },
    values,
  }))
}

/** The rows of those tools whose sentence is none of the bank's own: what somebody has added to the bank. */
export function furtherForms(tools: readonly ToolDefinition[]): readonly Form[] {
  const shape = (form: string): string => form.replaceAll(/\{[^{}]+\}/g, '{}')
  const known = new Set(BANK_FORMS.map(({ form }) => shape(form)))
  return tools.filter(({ template }) => !known.has(shape(template))).flatMap(formsOf)
}

export type Refusal = keyof typeof REFUSALS
const REFUSALS = {
  subject: 'The message metadata does not name the caller: subject_type and subject_id must be non-empty strings.',
  manipulative: 'The request tries to change how requests are judged. Say only what is to be done.',
  identity: 'The request makes a claim about who is asking. Who asks is taken from the login alone.',
  several: 'There are several requests in one. Send one at a time.',
  unclear: 'The request is unclear: it has the beginning of a known form, but not the form.',
  scope: 'The request is out of scope: no known form, or no policy for it.',
  declined: 'The model refused the request.',
  unvalidated: 'The model gave no answer that could be validated.',
} as const

export type Extraction =
  | { readonly kind: 'extracted'; readonly evaluations: readonly Evaluation[] }
  | { readonly kind: 'refused'; readonly why: Refusal; readonly says: string }

/** Nothing is known about the request: the model could not be asked. */
export interface Failure {
  readonly kind: 'failed'
  readonly why: 'timeout' | 'unavailable'
  readonly says: string
}

/** What a model made of a sentence. */
export type ModelExtraction = (Extraction | Failure) & {
  /** How often the model was asked. */
  readonly tries: number
}

/** What the agent has read from IndyKite. */
export interface Knowledge {
  readonly policies: readonly Pick<KbacPolicy, 'subject' | 'actions' | 'resource'>[]
  /** Node types of the data schema. */
  readonly types: ReadonlySet<string>
}

/** Reads one sentence for one caller. Never guesses: what is not exactly one known form is refused. */
export type Extract = (sentence: string, subject: Subject | undefined) => Extraction

/** The same with a model in the place of the forms. Never rejects. */
export type ModelExtract = (sentence: string, subject: Subject | undefined) => Promise<ModelExtraction>

interface Matcher {
  /** Its groups are the form's values, in order. */
  readonly pattern: RegExp
  readonly names: readonly string[]
  /** Finds the form's first words anywhere, to tell an unclear request from a foreign one. */
  readonly lead: RegExp
  readonly rows: readonly Form[]
}

/** Compiles the forms once for all sentences. */
export function extractor(forms: readonly Form[], knowledge: Knowledge): Extract {
  const matchers = matchersOf(forms)
  return (sentence, subject) => {
    if (subject === undefined) return refuse('subject')
    for (const { pattern, names, rows } of matchers) {
      const match = pattern.exec(sentence)
      if (match !== null) return extract(rows, (name) => match[names.indexOf(name) + 1] ?? '', subject, knowledge)
    }
    return refuse(whyNot(sentence, matchers))
  }
}

/** The caller as the metadata names it: strings only, since a number would be rounded on the way. */
export function subjectOf(metadata: Readonly<Record<string, unknown>> | undefined): Subject | undefined {
  const type = metadata?.['subject_type']
  const id = metadata?.['subject_id']
  if (typeof type !== 'string' || typeof id !== 'string' || type === '' || id === '') return undefined
  return { type, id }
}

/** @param more one sentence about this request. @defaultValue none */
export const refuse = (why: Refusal, more?: string): Extraction => ({
  kind: 'refused',
  why,
  says: more === undefined ? REFUSALS[why] : `${REFUSALS[why]} ${more}`,
})

function matchersOf(forms: readonly Form[]): readonly Matcher[] {
  const byForm = new Map<string, Form[]>()
  for (const row of forms) byForm.set(row.form, [...(byForm.get(row.form) ?? []), row])
  return [...byForm].map(([form, rows]) => {
    const values = Object.assign({}, ...rows.map((row) => row.values ?? {})) as Readonly<Record<string, string>>
    return { ...patternOf(form, values), lead: leadOf(form), rows }
  })
}

/** A value that comes twice must be the same twice. */
function patternOf(form: string, values: Readonly<Record<string, string>>): Pick<Matcher, 'pattern' | 'names'> {
  const names: string[] = []
  // Odd pieces of the split are the names of values.
  const pieces = form.split(/\{([^{}]+)\}/).map((piece, index) => {
    if (index % 2 === 0) return escaped(piece)
    if (names.includes(piece)) return `\\${names.indexOf(piece) + 1}`
    names.push(piece)
    return `(${values[piece] ?? BANK_ID})`
  })
  return { pattern: new RegExp(`^${pieces.join('')}$`), names }
}

const leadOf = (form: string): RegExp => new RegExp(`\\b${escaped((form.split('{')[0] ?? '').trim())}\\b`, 'gi')
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function extract(
  rows: readonly Form[],
  valueOf: (name: string) => string,
  subject: Subject,
  knowledge: Knowledge,
): Extraction {
  if (!rows.every((row) => isKnown(row, subject, knowledge))) return refuse('scope')
  const evaluations = rows.map(({ action, type, resource }) => ({
    subject,
    action: { name: action },
    resource: { type, id: 'id' in resource ? resource.id : valueOf(resource.capture) },
  }))
  return { kind: 'extracted', evaluations }
}

const isKnown = ({ action, type }: Form, subject: Subject, knowledge: Knowledge): boolean =>
  offersFor(subject, knowledge).some((offer) => offer.action === action && offer.type === type)

/** An action that a policy knows, and the type of resource that it is for. */
export interface Offer {
  readonly action: string
  readonly type: string
}

/** What a subject of this type can ask for at all: in a policy, with both types in the schema. */
export function offersFor({ type }: Subject, { policies, types }: Knowledge): readonly Offer[] {
  if (!types.has(type)) return []
  return policies
    .filter(({ subject, resource }) => subject.type === type && types.has(resource.type))
    .flatMap(({ actions, resource }) => actions.map((action) => ({ action, type: resource.type })))
}

const MANIPULATIVE =
  /\b(?:overrid\w*|system|ignor\w*|disregard|pretend\w*|bypass\w*|admin\w*|auditor|developer|assistant|operator|root|role|instructions?|prompt|jailbreak|polic(?:y|ies)|authori[sz]ed)\b/i
const IDENTITY =
  /\b(?:i am|i['’]?m|my (?:husband|wife|partner|mother|father)|on behalf of|acting (?:for|as)|logged in as|signed in as)\b/i

function whyNot(sentence: string, matchers: readonly Matcher[]): Refusal {
  if (MANIPULATIVE.test(sentence)) return 'manipulative'
  if (IDENTITY.test(sentence)) return 'identity'
  const leads = matchers.reduce((count, { lead }) => count + (sentence.match(lead)?.length ?? 0), 0)
  if (leads > 1) return 'several'
  if (leads === 0) return 'scope'
  return /\band\b|[;&]|\n|,/i.test(sentence) ? 'several' : 'unclear'
}
