import { judgeShell, type ShellScreening } from '../../../src/firewall/shell/shell-rules.ts'
import type { Walker } from '../../../src/firewall/shell/walk.ts'
import type { Workspace } from '../workspace.ts'

/** What a test may change about a request. */
interface Circumstances {
  readonly cwd?: string
  readonly tainted?: boolean
  readonly walker?: Walker
}

/** Judges a line, or words, in a workspace. */
export function judged(
  given: string | readonly string[],
  space: Workspace,
  circumstances: Circumstances = {},
): ShellScreening {
  const { cwd = '', tainted = false, walker } = circumstances
  const request = typeof given === 'string' ? { line: given } : { argv: given }
  return walker === undefined
    ? judgeShell(request, cwd, space.policy, space.places, tainted)
    : judgeShell(request, cwd, space.policy, space.places, tainted, walker)
}

/** The decision in one word each: what happens, by which rule, and whether the session is tainted. */
export const verdict = ({ outcome }: ShellScreening): string =>
  `${outcome.decision} ${outcome.rule}${outcome.taints.length > 0 ? ' +T' : ''}`
