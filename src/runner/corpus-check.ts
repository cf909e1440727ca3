import { PLANTED } from './corpus-workspace.ts'
import type { CorpusStep } from './corpus.ts'

/** What the gate made of one step. */
export interface StepResult {
  readonly decision: CorpusStep['decision']
  /** The reason code of a block; undefined for a permit. */
  readonly code: string | undefined
  readonly rules: readonly string[]
  readonly tainted: boolean
  /** The id of the decision, which its audit lines name. */
  readonly id: string
  /** What the run gave; undefined when nothing was run. */
  readonly output: string | undefined
}

/** The lines of an audit file that a check reads, in order. */
export interface AuditLine {
  readonly type: string
  /** Of a decision line. */
  readonly id?: string | undefined
  /** Of an outcome line: the decision that it belongs to. */
  readonly decision?: string | undefined
  readonly code?: string | null | undefined
  readonly rules?: readonly string[] | undefined
}

/** What is wrong with a step, in a sentence each. */
export const stepProblems = (step: CorpusStep, result: StepResult): readonly string[] => [
  ...decisionProblems(step, result),
  ...taintProblems(step, result),
  ...outputProblems(step, result),
]

function decisionProblems(
  { decision, rule, also }: CorpusStep,
  { rules, code, ...got }: StepResult,
): readonly string[] {
  const found = `${got.decision} by ${code ?? (rules.join(' + ') || 'no rule')}`
  if (decision !== got.decision) return [`expected ${decision} by ${rule}, got ${found}`]
  const missing = [rule, ...also].filter((each) => !rules.includes(each))
  return [
    ...(missing.length === 0 ? [] : [`${missing.join(', ')} did not fire: ${found}`]),
    ...(code === undefined || code === rule ? [] : [`expected the code ${rule}, got ${code}`]),
  ]
}

const taintProblems = ({ tainted }: CorpusStep, result: StepResult): readonly string[] =>
  tainted === undefined || tainted === result.tainted ? [] : [`the session is ${result.tainted ? '' : 'not '}tainted`]

function outputProblems({ shows }: CorpusStep, { output }: StepResult): readonly string[] {
  const isShown = shows === undefined || output?.includes(shows) === true
  const given = JSON.stringify(output ?? null)
  return [
    ...(isShown ? [] : [`the result does not show ${JSON.stringify(shows)}: ${given}`]),
    ...(PLANTED.some((secret) => output?.includes(secret) === true) ? ['the result holds a secret'] : []),
  ]
}

/** What is wrong with the audit of a case: one decision line a step, and right behind each permit its outcome. */
export function auditProblems(results: readonly StepResult[], lines: readonly AuditLine[]): readonly string[] {
  const expected = results.flatMap((result) => [
    { type: 'decision', of: result },
    ...(result.decision === 'block' ? [] : [{ type: 'outcome', of: result }]),
  ])
  if (expected.length !== lines.length) return [`the audit has ${lines.length} lines, not ${expected.length}`]
  return expected.flatMap(({ type, of }, at) => {
    const line = lines[at]
    const isRight =
      line?.type === type &&
      (type === 'outcome'
        ? line.decision === of.id
        : line.id === of.id &&
          (line.code ?? undefined) === of.code &&
          JSON.stringify(line.rules ?? []) === JSON.stringify(of.rules))
    return isRight ? [] : [`audit line ${at + 1} is not the ${type} of step ${results.indexOf(of) + 1}`]
  })
}
