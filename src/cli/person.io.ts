import type { ApprovalRequest, Approver } from '../approval/approver.ts'
import { createTerminalApprover, openTerminal } from './approve.io.ts'

/** Whoever confirms what must be confirmed, and what was opened to reach them. */
export interface Person {
  readonly approver: Approver
  readonly close: () => void
}

const nobody: Person = {
  approver: { ask: ({ digest }: ApprovalRequest) => Promise.resolve({ digest, approved: false, nobody: true }) },
  close: () => undefined,
}

/** The person at the terminal, also when the standard streams are pipes; without a terminal there is nobody. */
export function openPerson(): Person {
  const { stdin: input, stderr: output } = process
  // At a card the keyboard is not a terminal's that sends signals: Ctrl-C there is passed on as what it would have been.
  const onInterrupt = (): void => {
    process.kill(process.pid, 'SIGINT')
  }
  if (input.isTTY && output.isTTY) {
    return { approver: createTerminalApprover({ input, output, onInterrupt }), close: nobody.close }
  }
  const terminal = openTerminal()
  if (terminal === undefined) return nobody
  return { approver: createTerminalApprover({ ...terminal, onInterrupt }), close: terminal.close }
}
