import type { AttemptedCall } from '../../adapters/hosts/session.ts'
import { reasonOf } from '../core/reasons.ts'
import { says } from '../core/says.ts'

/** A word in front, and what it is about. */
type Row = readonly [label: string, text: string]

/** One decision in full, for a person: every opinion in the order asked, and the way out. */
export function whyRows(call: AttemptedCall, permittedInstead: readonly string[]): readonly Row[] {
  const { judgement, tool, kind, args } = call
  const { decision, sentence, opinions, evaluations = [], decisions = [] } = judgement
  return [
    ['call', `${tool === '' ? kind : tool} ${spaced(args ?? null)}`],
    ...(sentence === undefined ? [] : [['sentence', sentence] as const]),
    ...evaluations.map(({ subject, action, resource }, index): Row => [
      'evaluation',
      `${subject.type} ${subject.id} · ${action.name} · ${resource.type} ${resource.id} → ${String(decisions[index] ?? 'not asked')}`,
    ]),
    ...opinions.map(({ room, decision: opinion, detail }): Row => {
      const reason = opinion.kind === 'permit' ? '' : ` ${opinion.reason}`
      return [room, `${opinion.kind}${reason}${detail === undefined ? '' : ` (${detail})`}`]
    }),
    ...outcome(call),
    ...(decision.kind === 'permit' || permittedInstead.length === 0
      ? []
      : [['permitted', permittedInstead.join(', ')] as const]),
  ]
}

/** JSON with spaces, where a narrow terminal can break it. Within a text a line break is spelled out already. */
const spaced = (args: unknown): string => JSON.stringify(args, undefined, 1).replaceAll(/\n\s*/g, ' ')

function outcome({ judgement: { decision, opinions }, executed, breach }: AttemptedCall): readonly Row[] {
  if (breach !== undefined) {
    return [
      ['so', `permit, and it ran, but ${breach}: ${says(breach, [])}`],
      ['do', reasonOf(breach).fix],
    ]
  }
  if (decision.kind === 'permit') return [['so', `permit${executed ? ', and it ran' : ', and it did not run'}`]]
  return [
    ['so', `${decision.kind}: ${says(decision.reason, opinions)}`],
    ['do', reasonOf(decision.reason).fix],
  ]
}
