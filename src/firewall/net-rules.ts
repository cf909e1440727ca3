import { allow, block, requireApproval, type Outcome } from './outcome.ts'
import type { RequestOf } from './request.ts'
import type { RuleContext, Screening } from './screening.ts'
import { isListed, strictUrl, type StrictUrl } from './url.ts'

type NetRequest = RequestOf<'net.request'>

/** The rules for addresses: the network is closed, or plain reading of the listed origins is open. Spec: section 2.5. */
export function judgeNet(request: NetRequest, context: RuleContext): Screening {
  const { tainted } = context
  const { url, method } = request
  const read = strictUrl(url)
  const outcome =
    context.policy.network.mode === 'deny_all'
      ? block('net-deny-all', 'the network is closed')
      : listed(request, read, context)
  const isClean = !tainted || outcome.decision !== 'block'
  const decided = isClean ? outcome : { ...outcome, rules: [...outcome.rules, 'taint-session' as const] }
  const parts =
    typeof read === 'string' ? { url } : { url: read.href, scheme: read.scheme, host: read.host, port: read.port }
  return {
    outcome: tainted && decided.decision !== 'block' ? block('taint-session', 'the session is tainted') : decided,
    normalized: { ...parts, method },
  }
}

function listed({ method, hasBody }: NetRequest, read: StrictUrl | string, { policy, origins }: RuleContext): Outcome {
  if (typeof read === 'string') return block('net-allowlist', read, { hint: `Spell the address plainly: ${read}.` })
  if (method !== 'GET' && method !== 'HEAD') return block('net-allowlist', 'only GET and HEAD are known')
  if (hasBody) return block('net-allowlist', 'a request with a body')
  if (!isListed(read, origins)) return block('net-allowlist', 'the origin is not listed')
  if (read.query !== '' && policy.network.queries === 'ask') {
    return requireApproval('net-query', `a query to ${read.host}`)
  }
  return allow('net-ok', `${read.scheme}://${read.host}:${read.port}`)
}
