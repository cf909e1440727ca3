import { z } from 'zod'
import { defineTool, type ToolSource } from '../core/define-tool.ts'
import type { Effect, EffectContract } from '../core/effect.ts'
import type { ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import { ACTIONS, SHOWN } from './actions.ts'
import { amountText, CURRENCY, minorOf } from './amounts.ts'
import type { RecordStore } from '../domain/store.ts'
import { TOOL_NAMES, type ToolName } from './tool-names.ts'

/** The eleven tools over one store. The names are the suite's; everything else is ours. */
export const suiteTools = (store: RecordStore): readonly ToolDefinition[] =>
  TOOL_NAMES.map((name) =>
    defineTool({
      ...FACTS[name],
      name,
      run: (args, { idempotencyKey }) => store.once(idempotencyKey, () => ACTIONS[name](store, args)),
    }),
  )

/** True when a call of the tool changes a record. */
export const changesRecords = (tool: ToolName, args: ToolArguments): boolean =>
  FACTS[tool].effect.predict(args).mutations.length > 0

// One word each: it goes into the sentence that is authorized.
const recipient = z.string().regex(/^[A-Za-z0-9]{1,34}$/)
const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
const fileName = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/)
const paymentId = z.string().regex(/^\d{1,9}$/)
const line = z.string().min(1).max(200)

const amount = amountText.describe('Decimal text above zero, at most two decimals, such as "98.70".')
const payment = {
  recipient: recipient.describe('IBAN or name of the payee, one word.'),
  amount,
  subject: line.describe('What the payee reads about the payment.'),
  date: date.describe('Day of the payment, such as 2022-04-01.'),
}
const paymentRoles = { recipient: 'payee', amount: 'amount', subject: 'text', date: 'date' } as const

const nothing = z.object({})

type Facts = Omit<ToolSource<z.ZodObject>, 'name' | 'run'>

const FACTS: Readonly<Record<ToolName, Facts>> = {
  get_iban: {
    description: 'Shows the IBAN of the own account.',
    parameters: nothing,
    template: 'View the IBAN of the own account',
    resources: [],
    effect: reads(),
  },
  get_balance: {
    description: 'Shows the balance of the own account.',
    parameters: nothing,
    template: 'View the balance of the own account',
    resources: [],
    effect: reads(),
  },
  get_most_recent_transactions: {
    description: 'Lists the latest payments of the own account, the newest last.',
    parameters: z.object({ n: z.int().min(1).max(1_000).optional().describe('How many; 100 without it.') }),
    template: 'View the payments of the own account',
    resources: [],
    roles: { n: 'choice' },
    effect: reads({ rows: ({ n = SHOWN }) => Number(n), untrustedOutput: true }),
  },
  get_scheduled_transactions: {
    description: 'Lists the payments that are planned from the own account.',
    parameters: nothing,
    template: 'View the scheduled payments of the own account',
    resources: [],
    effect: reads({ rows: () => SHOWN }),
  },
  read_file: {
    description: 'Shows the text of one file of the owner.',
    parameters: z.object({ file_path: fileName.describe('Name of the file, exactly as given.') }),
    template: 'Read File {file_path}',
    resources: [{ argument: 'file_path', type: 'File', actions: ['READ_FILE'] }],
    roles: { file_path: 'record' },
    effect: reads({ resource: 'file_path', untrustedOutput: true }),
  },
  get_user_info: {
    description: 'Shows the name and the address of the owner.',
    parameters: nothing,
    template: 'View the details of the owner',
    resources: [],
    effect: reads(),
  },
  send_money: {
    description: 'Pays money from the own account to a payee. It cannot be undone.',
    parameters: z.object(payment),
    template: 'Send {amount} to {recipient} on {date}',
    resources: [],
    destinations: ['recipient'],
    roles: paymentRoles,
    effect: changes('move_money', 'high', false, 'move_money:Account'),
  },
  schedule_transaction: {
    description: 'Plans a payment from the own account, once or again and again.',
    parameters: z.object({ ...payment, recurring: z.boolean().describe('Whether it is paid again and again.') }),
    template: 'Schedule {amount} to {recipient} on {date}',
    resources: [],
    destinations: ['recipient'],
    roles: { ...paymentRoles, recurring: 'choice' },
    // To say when money leaves is to move it.
    effect: changes('move_money', 'high', true, 'create:ScheduledPayment'),
  },
  update_scheduled_transaction: {
    description: 'Changes a planned payment. What is left out stays as it is.',
    parameters: z.object({
      id: paymentId.describe('Id of the planned payment, exactly as a list gives it.'),
      recipient: payment.recipient.optional(),
      amount: amount.optional(),
      subject: payment.subject.optional(),
      date: payment.date.optional(),
      recurring: z.boolean().optional().describe('Whether it is paid again and again.'),
    }),
    template: 'Change ScheduledPayment {id}',
    resources: [{ argument: 'id', type: 'ScheduledPayment', actions: ['UPDATE_SCHEDULED_PAYMENT'] }],
    destinations: ['recipient'],
    roles: { id: 'record', ...paymentRoles, recurring: 'choice' },
    effect: changes('update', 'medium', true, 'update:ScheduledPayment'),
  },
  update_password: {
    description: 'Sets the password of the owner.',
    parameters: z.object({ password: z.string().min(1).max(128).describe('The new password, exactly as given.') }),
    template: 'Change the password of the owner',
    resources: [],
    roles: { password: 'text' },
    // One that the owner spells out can be set back by the owner; any other one is put to them.
    effect: changes('update', 'medium', true, 'update:Password'),
  },
  update_user_info: {
    description: 'Changes the name or the address of the owner. What is left out stays as it is.',
    parameters: z.object({
      first_name: line.optional(),
      last_name: line.optional(),
      street: line.optional(),
      city: line.optional(),
    }),
    template: 'Change the details of the owner',
    resources: [],
    roles: { first_name: 'text', last_name: 'text', street: 'text', city: 'text' },
    effect: changes('update', 'medium', true, 'update:Owner'),
  },
}

interface Reading {
  /** The argument that names what is read. @defaultValue none */
  readonly resource?: string
  /** @defaultValue one */
  readonly rows?: (args: ToolArguments) => number
  /** @defaultValue false */
  readonly untrustedOutput?: boolean
}

function reads({ resource, rows = () => 1, untrustedOutput = false }: Reading = {}): EffectContract {
  return {
    ...{ class: 'read', tier: 'low', reversible: true, untrustedOutput, version: '1' },
    predict: (args) => ({
      mutations: [],
      resources: resource === undefined ? [] : [String(args[resource])],
      rows: rows(args),
      destinations: [],
      egress: 'user',
    }),
  }
}

function changes(
  kind: EffectContract['class'],
  tier: EffectContract['tier'],
  reversible: boolean,
  mutation: string,
): EffectContract {
  return {
    ...{ class: kind, tier, reversible, untrustedOutput: false, version: '1' },
    predict: (args) => changeEffect(mutation, args),
  }
}

/** An amount or a payee that is not given stays as it was, so it is no part of the effect. */
function changeEffect(mutation: string, args: ToolArguments): Effect {
  // The parameters let nothing but text come here under these names.
  const given = (name: string): readonly string[] => {
    const value = args[name]
    return typeof value === 'string' ? [value] : []
  }
  const [text] = given('amount')
  return {
    mutations: [mutation],
    resources: given('id'),
    rows: 1,
    // Without a bound that anything admits, should it be no amount after all.
    ...(text === undefined ? {} : { amount: { minor: minorOf(text) ?? Infinity, currency: CURRENCY } }),
    destinations: given('recipient'),
    egress: 'user',
  }
}
