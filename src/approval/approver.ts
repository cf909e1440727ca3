import type { Evaluation, Subject } from '../core/authzen.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'

/** Where a value on the card came from. Only `user` means that the person said it. */
export type ValueOrigin = 'user' | 'login' | 'record' | 'tool' | 'model'

/** One value of the call as the card shows it. Text as it is: whoever shows it makes hidden characters visible. */
export interface CardValue {
  /** What the value is for, from the tool's own definition. */
  readonly label: string
  readonly value: string
  readonly origin: ValueOrigin
  /** What exactly it was read from, such as `invoice inv-alice-1`. */
  readonly source?: string
}

/** The facts that a person decides on. Nothing here was written by the model but the values that the gate normalized. */
export interface ApprovalRequest {
  readonly tenant: string
  readonly subject: Subject
  readonly tool: string
  readonly args: ToolArguments
  readonly sentence: string
  readonly evaluations: readonly Evaluation[]
  /** Every argument of the call, in the tool's own order, with where it came from. */
  readonly values: readonly CardValue[]
  /** What will change, one sentence each; the last of a call that changes something says whether it can be undone. */
  readonly changes: readonly string[]
  /** The rule that asks. @defaultValue the tool itself */
  readonly asks?: string
  /** Lower-case hex SHA-256 of everything above and of the call; the answer must repeat it. */
  readonly digest: string
  /** Aborts when the answer is no longer wanted. */
  readonly signal: AbortSignal
}

/** A card before it is put to somebody. */
export type Card = Omit<ApprovalRequest, 'signal'>

/** What came back for one card; only an `approved` with the same digest is a yes. */
export interface ApprovalAnswer {
  /** The digest of the request that this answers. */
  readonly digest: string
  readonly approved: boolean
  /** What the person typed beside a no; the model is told. One line, at most 200 characters are kept. */
  readonly reason?: string
  /** There was nobody to ask. It is a no with a code of its own. @defaultValue somebody answered */
  readonly nobody?: true
}

/** A way to put cards to a person. */
export interface Approver {
  /** Asks one person about exactly this call, once. Anything but `approved: true` with the same digest is a no. */
  ask(request: ApprovalRequest): Promise<ApprovalAnswer>
}
