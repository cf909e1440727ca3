import { unreachable } from '../core/unreachable.ts'
import { judgeApi } from './api-rules.ts'
import { judgeFiles } from './file-rules.ts'
import { judgeMcp, judgeResource } from './mcp-rules.ts'
import { judgeNet } from './net-rules.ts'
import { block } from './outcome.ts'
import type { Places } from './places.ts'
import type { ActionRequest, RequestOf, UncheckableRequest } from './request.ts'
import { folderOf, secretsGone, withTaints, type RuleContext, type Screening } from './screening.ts'
import { judgeShell } from './shell/shell-rules.ts'
import type { Stage } from './shell/stage.ts'

/** Applies the rules of a request's tool; the first that fits decides. Spec: section 1.4. */
export function judgeRequest(request: ActionRequest, context: RuleContext): Screening {
  if (request.tool === 'unknown' || 'detail' in request) return refusedRequest(request)
  if (request.tool === 'fs.read' || request.tool === 'fs.write') return judgeFiles(request, context)
  if (request.tool === 'shell.run') return judgeCommand(request, context)
  return secretsGone(context.places) ?? judgeRemote(request, context)
}

type RemoteRequest = RequestOf<'net.request' | 'mcp.call' | 'mcp.resource' | 'api.call'>

function judgeRemote(request: RemoteRequest, context: RuleContext): Screening {
  switch (request.tool) {
    case 'net.request':
      return judgeNet(request, context)
    case 'mcp.call':
      return judgeMcp(request, context)
    case 'mcp.resource':
      return judgeResource(request, context)
    case 'api.call':
      return judgeApi(request, context)
    default:
      return unreachable(request)
  }
}

function refusedRequest(request: UncheckableRequest): Screening {
  switch (request.tool) {
    case 'unknown':
      return { outcome: block('unknown-tool', 'no rules for this tool'), normalized: {} }
    case 'malformed':
      return {
        outcome: block('parse-error', request.detail, { hint: `In this call, ${request.detail}.` }),
        normalized: {},
      }
    case 'unsupported':
      return { outcome: block('hook-unsupported', request.detail), normalized: {} }
    default:
      return unreachable(request)
  }
}

/** What is wrong with the line itself comes before the working folder; both come before what the line would do. */
function judgeCommand({ command, cwd }: RequestOf<'shell.run'>, context: RuleContext): Screening {
  const { policy, places, tainted, walker } = context
  const folder = folderOf(cwd, places)
  const { outcome, normalized, stages, cwd: start } = judgeShell(command, folder.path, policy, places, tainted, walker)
  const isLine = outcome.rule === 'sh-syntax' || outcome.rule === 'parse-error'
  const decided = folder.problem === undefined || isLine ? outcome : withTaints(folder.problem, outcome.taints)
  const writes = writesOf(stages, start, places)
  return {
    outcome: withTaints(decided, folder.problem?.taints ?? []),
    normalized: { ...normalized, cwd: start, ...(writes.length === 0 ? {} : { writes }) },
  }
}

/** The physical files that redirects write: what a person says yes to is these, not the way they are spelled. */
const writesOf = (stages: readonly Stage[], cwd: string, places: Places): readonly string[] =>
  stages.flatMap(({ redirects }) =>
    redirects.flatMap((redirect) => {
      if (redirect.kind !== 'write') return []
      const place = places.locate(redirect.path, cwd)
      return place.kind === 'open' ? [place.path] : []
    }),
  )
