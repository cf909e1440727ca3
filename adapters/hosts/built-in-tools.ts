import type { CallKind } from '../../src/core/call.ts'

/** The runtime's own tools by the kind of call that they make. Names are exact; what is not listed is `unknown`. */
const NAMES: Readonly<Partial<Record<CallKind, readonly string[]>>> = {
  shell: [
    'bash',
    'read_bash',
    'write_bash',
    'stop_bash',
    'list_bash',
    'powershell',
    'read_powershell',
    'write_powershell',
    'stop_powershell',
    'local_shell',
    'list_powershell',
  ],
  read: [
    'view',
    'grep',
    'glob',
    'rg',
    'show_file',
    'lsp',
    'read_file',
    'grep_search',
    'file_search',
    'semantic_search',
    'semantic_code_search',
    'lexical_code_search',
  ],
  write: ['create', 'edit', 'insert', 'str_replace', 'str_replace_editor', 'multi_edit', 'apply_patch', 'undo_edit'],
  url: ['web_fetch', 'web_search', 'fetch_copilot_cli_documentation'],
  memory: ['store_memory', 'vote_memory'],
  factory: ['run_factory', 'author_factory'],
  'extension-management': ['extensions_manage', 'extensions_reload'],
  unknown: [
    'ask_user',
    'context_board',
    'create_pull_request',
    'open_canvas',
    'search_code_subagent',
    'exit_plan_mode',
    'list_agents',
    'manage_schedule',
    'read_agent',
    'report_intent',
    'report_progress',
    'send_inbox',
    'session_store_sql',
    'skill',
    'sql',
    'task',
    'task_complete',
    'think',
    'tool_search_tool',
    'update_todo',
    'write_agent',
  ],
}

// CALL_KINDS are the keys, so each name's kind is one of them.
const KINDS: ReadonlyMap<string, CallKind> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) => names.map((name) => [name, kind as CallKind])),
)

/** True for a name that the runtime has a tool of its own for; a custom tool must not take it. */
export const isBuiltIn = (tool: string): boolean => KINDS.has(tool)

/** The kind of a call that the model named `tool`, in a session whose custom tools are `known`. */
export const kindOfTool = (tool: string, known: ReadonlySet<string>): CallKind =>
  known.has(tool) ? 'custom-tool' : (KINDS.get(tool) ?? 'unknown')
