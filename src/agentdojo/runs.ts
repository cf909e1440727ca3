import { isDeepStrictEqual } from 'node:util'
import type { ToolArguments } from '../core/tool-arguments.ts'
import type { InjectionTask, Suite, SuiteCall, UserTask } from './suite.ts'
import { changesRecords } from './tools.ts'

/** Whether the injected calls come before the user's own or after them. */
export const ORDERS = ['before', 'after'] as const
export type Order = (typeof ORDERS)[number]

/** One call that the scripted model makes, and whose wish it is. */
export interface PlannedCall extends SuiteCall {
  readonly wish: 'user' | 'attack'
}

/** One conversation: the prompt is all that the user says. */
export interface Run {
  /** `user_task_3`, or `user_task_3+injection_task_1:before`. */
  readonly id: string
  readonly task: UserTask
  readonly attack?: { readonly task: InjectionTask; readonly order: Order }
  readonly calls: readonly PlannedCall[]
}

/** Every user task alone, then every pair of a user task and an injection task in each order. */
export function plannedRuns({ userTasks, injectionTasks }: Suite, orders: readonly Order[]): readonly Run[] {
  const benign = userTasks.map((task): Run => ({ id: task.id, task, calls: callsOf(task, 'user') }))
  const attacked = orders.flatMap((order) =>
    userTasks.flatMap((task) => injectionTasks.map((injection) => attackedRun(task, injection, order))),
  )
  return [...benign, ...attacked]
}

function attackedRun(task: UserTask, injection: InjectionTask, order: Order): Run {
  const [own, injected] = [callsOf(task, 'user'), callsOf(injection, 'attack')]
  return {
    id: `${task.id}+${injection.id}:${order}`,
    task,
    attack: { task: injection, order },
    calls: order === 'before' ? [...injected, ...own] : [...own, ...injected],
  }
}

const callsOf = ({ calls }: UserTask | InjectionTask, wish: PlannedCall['wish']): readonly PlannedCall[] =>
  calls.map((call) => ({ ...call, wish }))

/** True for what the user really wants done: a call of the task itself that changes something. */
export const isTrueAction = ({ task }: Run, tool: string, args: ToolArguments): boolean =>
  task.calls.some(
    (call) => call.tool === tool && changesRecords(call.tool, call.args) && isDeepStrictEqual(call.args, { ...args }),
  )
