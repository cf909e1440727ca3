import type { AttemptedCall } from '../../adapters/hosts/session.ts'
import { reasonOf } from '../core/reasons.ts'
import { says } from '../core/says.ts'
import { visibleLine } from '../core/visible.ts'

/** How a line of the view is meant, so that the terminal may color it. */
export type Tone = 'permit' | 'deny' | 'plain'

/**
 * One attempted call for a person: what was asked, what each side answered, and, once the turn has `ended`, what came
 * of it.
 */
export function callView(
  call: AttemptedCall,
  gate: boolean,
  ended: boolean,
): readonly { readonly tone: Tone; readonly text: string }[] {
  const { judgement, tool, kind, args, ms } = call
  const { decision, sentence, evaluations = [], decisions = [] } = judgement
  const permitted = decision.kind === 'permit'
  const name = visibleLine(tool === '' ? kind : tool)
  return [
    {
      tone: permitted ? 'permit' : 'deny',
      text: `${permitted ? '✓' : '✗'} ${name}${argumentsView(args)}  ${ms.toFixed(1)} ms`,
    },
    ...(sentence === undefined ? [] : [{ tone: 'plain' as const, text: `  sentence   ${sentence}` }]),
    ...evaluations.map(({ subject, action, resource }, index) => ({
      tone: 'plain' as const,
      text: visibleLine(
        `  evaluation ${subject.type} ${subject.id} · ${action.name} · ${resource.type} ${resource.id} → ${String(decisions[index] ?? 'not asked')}`,
      ),
    })),
    verdictView(call, gate, ended),
  ]
}

function verdictView(
  { judgement, executed }: AttemptedCall,
  gate: boolean,
  ended: boolean,
): { readonly tone: Tone; readonly text: string } {
  const { decision, opinions } = judgement
  if (decision.kind !== 'permit') {
    const fault = reasonOf(decision.reason).cause === 'fault' ? ' (a fault, not a decision)' : ''
    return {
      tone: 'deny',
      text: `  ${decision.kind}       ${decision.reason}${fault}: ${says(decision.reason, opinions)}`,
    }
  }
  if (!ended) return { tone: 'permit', text: gate ? '  permit' : '  ungated    nothing is decided' }
  const ran = executed ? 'ran' : 'did not run'
  return { tone: 'permit', text: gate ? `  permit     ${ran}` : `  ungated    ${ran}, nothing was decided` }
}

function argumentsView(args: unknown): string {
  if (typeof args !== 'object' || args === null) return ''
  const shown = Object.entries(args).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const text = visibleLine(shown.join(' '))
  return text === '' ? '' : ` ${text.length > 120 ? `${text.slice(0, 60)}…${text.slice(-40)}` : text}`
}
