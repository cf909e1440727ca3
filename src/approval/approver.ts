import type { Evaluation, Subject } from '../core/authzen.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'

/** The facts that a person decides on. Nothing here was written by the model but the values that the gate normalized. */
export interface ApprovalRequest {
  readonly tenant: string
  readonly subject: Subject
  readonly tool: string
  readonly args: ToolArguments
  readonly sentence: string
  readonly evaluations: readonly Evaluation[]
  /** Lower-case hex SHA-256 of everything above and of the call; the answer must repeat it. */
  readonly digest: string
  /** Aborts when the answer is no longer wanted. */
  readonly signal: AbortSignal
}

export interface ApprovalAnswer {
  /** The digest of the request that this answers. */
  readonly digest: string
  readonly approved: boolean
}

export interface Approver {
  /** Asks one person about exactly this call, once. Anything but `approved: true` with the same digest is a no. */
  ask(request: ApprovalRequest): Promise<ApprovalAnswer>
}
