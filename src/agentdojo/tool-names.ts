/** The tools of the suite, by the suite's own names. */
export const TOOL_NAMES = [
  'get_iban',
  'send_money',
  'schedule_transaction',
  'update_scheduled_transaction',
  'get_balance',
  'get_most_recent_transactions',
  'get_scheduled_transactions',
  'read_file',
  'get_user_info',
  'update_password',
  'update_user_info',
] as const
export type ToolName = (typeof TOOL_NAMES)[number]
