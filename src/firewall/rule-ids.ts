/** The rules that refuse or ask, in the words of the firewall's contract; each is also a reason code. */
export const REFUSING_RULES = [
  'fail-closed',
  'unknown-tool',
  'parse-error',
  'secret-egress',
  'fs-sandbox',
  'fs-protected',
  'fs-write-scope',
  'sh-syntax',
  'sh-allowlist',
  'sh-paths',
  'sh-args',
  'sh-recursive',
  'sh-ask',
  'net-deny-all',
  'net-allowlist',
  'net-query',
  'taint-session',
  'mcp-unknown-tool',
  'mcp-protected-path',
  'mcp-sandbox',
  'mcp-args',
  'mcp-resources-denied',
  'api-unknown-operation',
  'api-approval',
  'api-blocked',
  'approval-denied',
  'learn-ask',
  'hook-unsupported',
] as const
/** A rule that refuses or asks. */
export type RefusingRule = (typeof REFUSING_RULES)[number]

/** The rules that let a call run. */
type PermittingRule =
  | 'api-policy'
  | 'fs-read-ok'
  | 'fs-write-ok'
  | 'sh-ok'
  | 'sh-exact'
  | 'net-ok'
  | 'mcp-ok'
  | 'mcp-resource-ok'
  | 'api-ok'

/** The name of a firewall rule. Wire-stable: add freely, rename never. */
export type RuleId = RefusingRule | PermittingRule
