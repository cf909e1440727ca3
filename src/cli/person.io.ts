import type { ApprovalRequest, Approver } from '../approval/approver.ts'
import { createTerminalApprover, openTerminal } from './approve.io.ts'

/** Whoever confirms what must be confirmed, and what was opened to reach them. */
export interface Person {
  readonly approver: Approver
  /** Whom Ctrl-C at a card is passed on to, beside being a no. Until this is called it is a SIGINT of this process. */
  readonly passInterruptTo: (listener: () => void) => void
  readonly close: () => void
}

const nobody: Person = {
  approver: { ask: ({ digest }: ApprovalRequest) => Promise.resolve({ digest, approved: false, nobody: true }) },
  passInterruptTo: () => undefined,
  close: () => undefined,
}

/** The person at the terminal, also when the standard streams are pipes; without a terminal there is nobody. */
export function openPerson(): Person {
  const { stdin: input, stderr: output } = process
  // At a card the keyboard is not a terminal's that sends signals: Ctrl-C there is passed on as what it would have been.
  let heard = (): void => {
    process.kill(process.pid, 'SIGINT')
  }
  const onInterrupt = (): void => {
    heard()
  }
  const passInterruptTo: Person['passInterruptTo'] = (listener) => {
    heard = listener
  }
  if (input.isTTY && output.isTTY) {
    const approver = createTerminalApprover({ input, output, onInterrupt })
    return { approver, passInterruptTo, close: nobody.close }
  }
  const terminal = openTerminal()
  if (terminal === undefined) return nobody
  const approver = createTerminalApprover({ ...terminal, onInterrupt })
  return { approver, passInterruptTo, close: terminal.close }
}
