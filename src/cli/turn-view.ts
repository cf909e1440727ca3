import type { AttemptedCall } from '../../adapters/hosts/session.ts'
import { reasonOf } from '../core/reasons.ts'
import { says } from '../core/says.ts'

/** How a line of the view is meant, so that the terminal may color it. */
export type Tone = 'permit' | 'deny' | 'plain'

/** One line, which may have to be wrapped: then what follows begins where the text does. */
interface Line {
  readonly tone: Tone
  readonly label: string
  /** As the model, a tool or a PDP wrote it, not yet fit for a terminal. */
  readonly text: string
}

/**
 * One attempted call for a person: what was asked, what each side answered, and, once the turn has `ended`, what came
 * of it.
 */
export function callView(call: AttemptedCall, gate: boolean, ended: boolean): readonly Line[] {
  const { judgement, tool, kind, args, ms } = call
  const { decision, sentence, evaluations = [], decisions = [] } = judgement
  const permitted = decision.kind === 'permit'
  const name = tool === '' ? kind : tool
  return [
    {
      tone: permitted ? 'permit' : 'deny',
      label: permitted ? '✓ ' : '✗ ',
      text: `${name}${argumentsView(args)}  ${ms.toFixed(1)} ms`,
    },
    ...(sentence === undefined ? [] : [row('plain', 'sentence', sentence)]),
    ...evaluations.map(({ subject, action, resource }, index) =>
      row(
        'plain',
        'evaluation',
        `${subject.type} ${subject.id} · ${action.name} · ${resource.type} ${resource.id} → ${String(decisions[index] ?? 'not asked')}`,
      ),
    ),
    verdictView(call, gate, ended),
    ...(call.breach === undefined ? [] : [row('deny', 'breach', `${call.breach}: ${says(call.breach, [])}`)]),
  ]
}

const row = (tone: Tone, word: string, text: string): Line => ({ tone, label: `  ${word.padEnd(10)} `, text })

function verdictView({ judgement, executed }: AttemptedCall, gate: boolean, ended: boolean): Line {
  const { decision, opinions } = judgement
  if (decision.kind !== 'permit') {
    const fault = reasonOf(decision.reason).cause === 'fault' ? ' (a fault, not a decision)' : ''
    return row('deny', decision.kind, `${decision.reason}${fault}: ${says(decision.reason, opinions)}`)
  }
  if (!ended) {
    return gate ? { tone: 'permit', label: '  permit', text: '' } : row('permit', 'ungated', 'nothing is decided')
  }
  const ran = executed ? 'ran' : 'did not run'
  return gate ? row('permit', 'permit', ran) : row('permit', 'ungated', `${ran}, nothing was decided`)
}

function argumentsView(args: unknown): string {
  if (typeof args !== 'object' || args === null) return ''
  const shown = Object.entries(args).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const text = shown.join(' ')
  return text === '' ? '' : ` ${text.length > 120 ? `${text.slice(0, 60)}…${text.slice(-40)}` : text}`
}
