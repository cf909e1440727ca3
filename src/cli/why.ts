import type { AttemptedCall } from '../../adapters/hosts/session.ts'
import { reasonOf } from '../core/reasons.ts'
import { says } from '../core/says.ts'
import { visibleLine } from '../core/visible.ts'

/** One decision in full, for a person: every opinion in the order asked, and the way out. */
export function whyLines(call: AttemptedCall, permittedInstead: readonly string[]): readonly string[] {
  const { judgement, tool, kind, args } = call
  const { decision, sentence, opinions, evaluations = [], decisions = [] } = judgement
  return [
    `call        ${visibleLine(tool === '' ? kind : tool)} ${visibleLine(JSON.stringify(args ?? null))}`,
    ...(sentence === undefined ? [] : [`sentence    ${sentence}`]),
    ...evaluations.map(({ subject, action, resource }, index) =>
      visibleLine(
        `evaluation  ${subject.type} ${subject.id} · ${action.name} · ${resource.type} ${resource.id} → ${String(decisions[index] ?? 'not asked')}`,
      ),
    ),
    ...opinions.map(({ room, decision: opinion, detail }) => {
      const reason = opinion.kind === 'permit' ? '' : ` ${opinion.reason}`
      return `${room.padEnd(11)} ${opinion.kind}${reason}${detail === undefined ? '' : ` (${visibleLine(detail)})`}`
    }),
    ...(decision.kind === 'permit'
      ? [`so          permit${call.executed ? ', and it ran' : ', and it did not run'}`]
      : [
          `so          ${decision.kind}: ${says(decision.reason, opinions)}`,
          `do          ${reasonOf(decision.reason).fix}`,
          ...(permittedInstead.length > 0 ? [`permitted   ${permittedInstead.join(', ')}`] : []),
        ]),
  ]
}
