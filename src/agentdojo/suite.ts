import { z } from 'zod'
import { SettingError } from '../core/setting-error.ts'
import { StrictJsonError, strictJson } from '../core/strict-json.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import { decimalOf, minorOf } from './amounts.ts'
import { TOOL_NAMES, type ToolName } from './tool-names.ts'

/** One call of a task's ground truth, its arguments in our spelling: amounts are decimal text, ids are text. */
export interface SuiteCall {
  readonly tool: ToolName
  readonly args: ToolArguments
}

/** What the owner asks for, and the calls that do it. */
export interface UserTask {
  readonly id: string
  /** The one text of a run that counts as the user's own. */
  readonly prompt: string
  readonly calls: readonly SuiteCall[]
}

/** What an attacker wants, and the calls that a hijacked model makes for it. */
export interface InjectionTask {
  readonly id: string
  readonly calls: readonly SuiteCall[]
}

/** A payment that was made or is to be made. */
export interface Payment {
  readonly id: string
  readonly sender: string
  readonly recipient: string
  /** Integer minor units. */
  readonly minor: number
  readonly subject: string
  /** ISO 8601 date. */
  readonly date: string
  readonly recurring: boolean
}

/** The bank before a run. */
export interface Environment {
  readonly account: { readonly iban: string; readonly minor: number }
  readonly transactions: readonly Payment[]
  readonly scheduled: readonly Payment[]
  readonly files: readonly { readonly name: string; readonly content: string }[]
  readonly owner: Readonly<Record<'first_name' | 'last_name' | 'street' | 'city' | 'password', string>>
}

export interface Suite {
  readonly userTasks: readonly UserTask[]
  readonly injectionTasks: readonly InjectionTask[]
  readonly environment: Environment
}

// Loose where the suite's authors may say more; what is used is spelled out, and an unknown tool is an error.
const text = z.string().min(1)
const Call = z.looseObject({ tool: z.enum(TOOL_NAMES), args: z.record(z.string(), z.unknown()) })
const calls = z.array(Call).min(1)
const Payment = z.looseObject({
  id: z.int(),
  sender: text,
  recipient: text,
  amount: z.number(),
  subject: z.string(),
  date: z.iso.date(),
  recurring: z.boolean(),
})
const File = z.looseObject({
  tools: z.array(text),
  user_tasks: z.record(text, z.looseObject({ prompt: text, ground_truth: calls })),
  injection_tasks: z.record(text, z.looseObject({ ground_truth: calls })),
  environment: z.looseObject({
    bank_account: z.looseObject({
      balance: z.number(),
      iban: text,
      transactions: z.array(Payment),
      scheduled_transactions: z.array(Payment),
    }),
    filesystem: z.looseObject({ files: z.record(text, z.string()) }),
    user_account: z.object({ first_name: text, last_name: text, street: text, city: text, password: text }),
  }),
})

/**
 * Reads the text of AgentDojo's banking suite, and turns it into our own terms.
 * @throws SettingError that names the file and the field.
 */
export function importSuite(content: string, file: string): Suite {
  const parsed = File.safeParse(jsonOf(content, file))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw wrong(file, z.core.toDotPath(issue?.path ?? []), issue?.message ?? 'is not valid')
  }
  const { tools, user_tasks, injection_tasks, environment } = parsed.data
  if ([...tools].sort().join() !== [...TOOL_NAMES].sort().join()) {
    throw wrong(file, 'tools', `is not the list of the ${TOOL_NAMES.length} tools that are defined here`)
  }
  const taskCalls = (id: string, listed: z.output<typeof calls>): readonly SuiteCall[] =>
    listed.map(({ tool, args }) => ({ tool, args: spelled(args, file, id) }))
  return {
    userTasks: Object.entries(user_tasks).map(([id, { prompt, ground_truth: listed }]) => ({
      ...{ id, prompt },
      calls: taskCalls(id, listed),
    })),
    injectionTasks: Object.entries(injection_tasks).map(([id, { ground_truth: listed }]) => ({
      id,
      calls: taskCalls(id, listed),
    })),
    environment: environmentOf(environment, file),
  }
}

/** Amounts and ids become text; a float is never calculated with. */
function spelled(args: ToolArguments, file: string, task: string): ToolArguments {
  const entries = Object.entries(args).map(([name, value]): readonly [string, unknown] => {
    if (name === 'amount') return [name, decimalOf(minorUnits(value, file, `${task}, amount`))]
    return [name, name === 'id' ? String(value) : value]
  })
  return Object.fromEntries(entries)
}

function environmentOf({ bank_account, filesystem, user_account }: z.output<typeof File>['environment'], file: string) {
  const payment = ({ id, sender, recipient, amount, subject, date, recurring }: z.output<typeof Payment>): Payment => ({
    ...{ id: String(id), sender, recipient, subject, date, recurring },
    minor: minorUnits(amount, file, `payment ${id}, amount`),
  })
  return {
    account: { iban: bank_account.iban, minor: minorUnits(bank_account.balance, file, 'balance') },
    transactions: bank_account.transactions.map(payment),
    scheduled: bank_account.scheduled_transactions.map(payment),
    files: Object.entries(filesystem.files).map(([name, content]) => ({ name, content })),
    owner: user_account,
  }
}

/** The shortest decimal text of a number is what the suite's authors wrote, so it is read as text. */
function minorUnits(value: unknown, file: string, field: string): number {
  const minor = typeof value === 'number' ? minorOf(String(value)) : undefined
  if (minor === undefined) throw wrong(file, field, 'is not an amount above zero with at most two decimals')
  return minor
}

function jsonOf(content: string, file: string): unknown {
  try {
    return strictJson(content)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    throw wrong(file, '', `is not usable JSON (${cause.message})`)
  }
}

const wrong = (file: string, field: string, problem: string): SettingError =>
  new SettingError(
    field === '' ? file : `${file}, ${field}`,
    problem,
    'Use the banking suite of AgentDojo, version v1.2.2, as JSON',
  )
