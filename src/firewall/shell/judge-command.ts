import { block, type Outcome } from '../outcome.ts'
import { hasInput, helperIn, runsInput } from './helpers.ts'
import { insideOf, type Inside } from './inside.ts'
import { judgeStage, viewStage, type Bench, type Viewed } from './judge-stage.ts'
import type { Stage } from './stage.ts'

const strictness: Record<Outcome['decision'], number> = { allow: 0, require_approval: 1, block: 2 }
/** `env nice timeout 5 npm test` is three deep. */
const MAX_DEPTH = 4
const SHOW_IT = 'Name the program itself, with options that start no other one, and its script as a file.'

/**
 * Decides on one command and on what it would run in turn. A person can only judge what the words show: a program that
 * takes another one from an option, an input or a text that nobody can read is refused instead of asked about.
 */
export function judgeCommand(stage: Stage, viewed: Viewed, bench: Bench, depth = 0, isFed = hasInput(stage)): Outcome {
  const outcome = judgeStage(stage, viewed, bench)
  if (outcome.decision !== 'require_approval' || viewed.grant !== 'ask') return outcome
  const inside = depth > MAX_DEPTH ? TOO_DEEP : (unseen(stage, isFed) ?? insideOf(stage.argv))
  if ('detail' in inside) return block('sh-args', inside.detail, { also: outcome.rules, hint: SHOW_IT })
  const inner = (each: Stage): Outcome =>
    judgeCommand(each, viewStage(each, bench), bench, depth + 1, isFed || hasInput(each))
  return strictest([outcome, ...inside.stages.map(inner)])
}

const TOO_DEEP: Inside = { detail: 'programs inside of programs' }

/** What of a command no person would see; undefined when there is nothing. */
function unseen({ argv }: Stage, isFed: boolean): Inside | undefined {
  const helper = helperIn(argv)
  if (helper !== undefined) return { detail: `${helper} starts another program, or hides a file` }
  return isFed && runsInput(argv) ? { detail: 'the program would run what its input holds' } : undefined
}

/** The strictest of several outcomes, with the rules and taints of all. The first one wins among equals. */
export function strictest(outcomes: readonly [Outcome, ...Outcome[]], taints: readonly string[] = []): Outcome {
  const decided = outcomes.reduce((kept, next) => (strictness[next.decision] > strictness[kept.decision] ? next : kept))
  const all = new Set([...taints, ...outcomes.flatMap((each) => each.taints)])
  return { ...decided, rules: [...new Set(outcomes.flatMap((each) => each.rules))], taints: [...all] }
}
