import type { Domain, DomainTool } from './schema.ts'

/** A field that contradicts another one. */
interface Problem {
  readonly field: string
  readonly says: string
}

/** The first contradiction of a domain; undefined when there is none. */
export function domainProblem(domain: Domain): Problem | undefined {
  return [...recordProblems(domain), ...payeeProblems(domain), ...toolProblems(domain)].at(0)
}

function recordProblems({ types, records, customers }: Domain): readonly Problem[] {
  return Object.entries(records).flatMap(([name, ofType]) => {
    const type = Object.hasOwn(types, name) ? types[name] : undefined
    if (type === undefined) return [{ field: `records.${name}`, says: `"${name}" is not one of the types` }]
    return Object.entries(ofType).flatMap(([id, record]) => {
      if (type.owner === undefined || customers.some((each) => each === record[type.owner ?? ''])) return []
      return [{ field: `records.${name}.${id}.${type.owner}`, says: 'must name one of the customers' }]
    })
  })
}

const payeeProblems = ({ payees, customers }: Domain): readonly Problem[] =>
  Object.keys(payees)
    .filter((each) => !customers.includes(each))
    .map((each) => ({ field: `payees.${each}`, says: 'must be one of the customers' }))

/** The runtime runs its own tool of such a name in place of the session's (Copilot SDK 1.0.30). */
const TAKEN: ReadonlySet<string> = new Set(
  'bash create edit glob grep read_bash read_file report_intent stop_bash task view web_fetch write_bash'.split(' '),
)

function toolProblems(domain: Domain): readonly Problem[] {
  const names = domain.tools.map(({ name }) => name)
  return domain.tools.flatMap((tool, index) => {
    const problems = [
      ...(names.indexOf(tool.name) < index ? [{ field: 'name', says: 'is the name of two tools' }] : []),
      ...(TAKEN.has(tool.name) ? [{ field: 'name', says: "is a tool of the runtime's own" }] : []),
      ...resourceProblems(domain, tool),
      ...ownerProblems(domain, tool),
      ...effectProblems(domain, tool),
      ...textProblems(tool),
    ]
    return problems.map(({ field, says }) => ({ field: `tools[${index}].${field}`, says }))
  })
}

function resourceProblems({ types }: Domain, { resources }: DomainTool): readonly Problem[] {
  return resources.flatMap(({ type: name, actions }, index) => {
    const type = Object.hasOwn(types, name) ? types[name] : undefined
    if (type === undefined) return [{ field: `resources[${index}].type`, says: `"${name}" is not one of the types` }]
    const stray = actions.find((action) => !Object.hasOwn(type.actions, action))
    return stray === undefined
      ? []
      : [{ field: `resources[${index}].actions`, says: `types.${name}.actions does not say who may ${stray}` }]
  })
}

const FITTING: Readonly<Record<DomainTool['does']['kind'], readonly DomainTool['effect']['class'][]>> = {
  show: ['read', 'summarize', 'transform'],
  list: ['read', 'summarize', 'transform'],
  add: ['create', 'export', 'delegate', 'admin', 'move_money'],
  change: ['update', 'export', 'delegate', 'admin', 'move_money'],
  remove: ['delete'],
}

/** A tool can reach no record that nobody authorizes, and cannot call a change a look. */
function effectProblems(
  { types }: Domain,
  { does, effect, resources, parameters, roles }: DomainTool,
): readonly Problem[] {
  const known = Object.keys(isObject(parameters['properties']) ? parameters['properties'] : {})
  const problems: (Problem | false)[] = [
    !Object.hasOwn(types, does.type) && { field: 'does.type', says: `"${does.type}" is not one of the types` },
    !FITTING[does.kind].includes(effect.class) && {
      field: 'effect.class',
      says: `does not fit what the tool does (${does.kind}): use ${FITTING[does.kind].join(', ')}`,
    },
    'id' in does &&
      !resources.some(({ argument, type }) => argument === does.id && type === does.type) && {
        field: 'does.id',
        says: `must be a resource argument of the type ${does.type}, so that it is authorized`,
      },
    ...('set' in does ? setProblems(does.set, known, roles) : []),
  ]
  return problems.filter((each) => each !== false)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The argument that a value of `set` stands for; undefined for a literal. */
export const argumentOf = (value: string | number | boolean): string | undefined =>
  typeof value === 'string' ? /^\{([^{}]+)\}$/.exec(value)?.[1] : undefined

/** What stands for the customer who is signed in. */
export const CALLER = 'caller'

/** What a change writes must be known, and bound by the words of the customer. */
const setProblems = (
  set: Readonly<Record<string, string | number | boolean>>,
  known: readonly string[],
  roles: DomainTool['roles'],
): readonly Problem[] =>
  Object.entries(set).flatMap(([field, value]) => {
    const argument = argumentOf(value)
    if (argument === CALLER) return []
    if (argument === undefined) {
      const isText = typeof value !== 'string' || !/[{}]/.test(value)
      return isText
        ? []
        : [{ field: `does.set.${field}`, says: 'must be one {argument} alone, or text without braces' }]
    }
    if (!known.includes(argument)) {
      return [{ field: `does.set.${field}`, says: `"${argument}" is no property of the parameters` }]
    }
    return Object.hasOwn(roles, argument)
      ? []
      : [{ field: `roles.${argument}`, says: 'is needed, so that a message can say what is written' }]
  })

const TEXT_ROLES: ReadonlySet<string> = new Set(['payee', 'amount', 'currency'])

/** What names a record, stands in a sentence, or says how much to whom is text: numbers are no ids and no money. */
function textProblems({ parameters, template, resources, destinations, roles }: DomainTool): readonly Problem[] {
  const properties = new Map<string, unknown>(
    isObject(parameters['properties']) ? Object.entries(parameters['properties']) : [],
  )
  const named = [
    ...[...template.matchAll(/\{([^{}]+)\}/g)].map(([, argument = '']) => argument),
    ...resources.map(({ argument }) => argument),
    ...destinations,
    ...Object.keys(roles).filter((argument) => TEXT_ROLES.has(roles[argument] ?? '')),
  ]
  return [...new Set(named)].flatMap((argument) => {
    const property = properties.get(argument)
    return property === undefined || isText(property)
      ? []
      : [
          {
            field: `parameters.properties.${argument}.type`,
            says: 'must be "string": the argument is a name or an amount',
          },
        ]
  })
}

/** A type that JSON Schema does not know is told when the schema is read. */
const isText = (property: unknown): boolean =>
  isObject(property) && 'type' in property && typeof property.type === 'string' && !NO_TEXT.has(property.type)

const NO_TEXT: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object'])

/** A record that is added to somebody's records says whose it is. */
function ownerProblems({ types, customers }: Domain, { does }: DomainTool): readonly Problem[] {
  const owner = Object.hasOwn(types, does.type) ? types[does.type]?.owner : undefined
  if (does.kind !== 'add' || owner === undefined) return []
  const given = does.set[owner]
  const isOwned = given !== undefined && (argumentOf(given) !== undefined || customers.some((each) => each === given))
  return isOwned ? [] : [{ field: `does.set.${owner}`, says: 'must say whose record it is: {caller}, or a customer' }]
}
