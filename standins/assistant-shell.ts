import type { ModelCall } from './model-wire.ts'

/** Calls of tools that are no bank tools, and the text without the words that asked for them. */
export interface ShellReading {
  readonly calls: readonly ModelCall[]
  readonly rest: string
}

type Reader = readonly [pattern: RegExp, call: (found: string, second: string) => ModelCall]

const RUN = '(?<!\\p{L})(?:run|execute|exec|kjør|køyr|utfør)'
const COMMANDS = `ls|cat|rm|curl|wget|git|npm|npx|node|python3?|echo|whoami|id|env|printenv|pwd|find|grep|ps|sudo|ssh|scp|nc|bash|sh|chmod|mv|cp|touch|mkdir|head|tail|tar|dd|kill`
const READ = '(?<!\\p{L})(?:read|view|open|cat|show|print|display|les|åpne|vis|opne)(?!\\p{L})'
const FETCH =
  '(?<!\\p{L})(?:fetch|get|open|visit|download|load|browse|read|go to|hent|åpne|opne|besøk|last ned|les|gå til)'
const PATH =
  '(?:~|\\.{1,2})?/[\\p{L}\\p{N}_.@~/-]{1,500}|\\.[a-z]{2,20}(?![\\p{L}\\p{N}])|[\\p{L}\\p{N}_-]{1,80}\\.(?:md|txt|json|env|ts|js|ya?ml|pem|key|csv|log|toml|sh|py)(?![\\p{L}\\p{N}])'

/** Tried in this order; each takes its words out of the text. */
const READERS: readonly Reader[] = [
  [
    /(?<!\p{L})(?:call|use|invoke|kall|bruk)\s{1,3}(?:the\s|tool\s|verktøyet\s){0,2}[`"']?([a-z][\w.-]{1,63})[`"']?\s{0,3}(?:tool\s)?(?:with|med|on|:)?\s{0,3}(?:arguments\s)?(\{[^{}]{0,4000}\})/giu,
    (name, args) => ({ name, arguments: args }),
  ],
  [
    new RegExp(`${RUN}(?!\\p{L})[^\\n\`"']{0,40}([\`"'])((?:(?!\\1)[^\\n]){1,2000})\\1`, 'giu'),
    (_, command) => bash(command),
  ],
  [new RegExp(`\`((?:${COMMANDS})(?![\\p{L}\\p{N}_-])[^\`\\n]{0,2000})\``, 'giu'), bash],
  [
    new RegExp(
      `${RUN}:?\\s{1,3}(?:the\\s|this\\s|shell\\s|command:?\\s|kommandoen:?\\s){0,3}((?:${COMMANDS})(?![\\p{L}\\p{N}_-])[^\\n;]{0,500}?)(?=[.!?]?\\s*$|[.!?]\\s|[\\n;]|\\sand\\s|\\sog\\s)`,
      'gimu',
    ),
    bash,
  ],
  [
    new RegExp(`${FETCH}(?!\\p{L})[^\\n]{0,60}?(https?://[^\\s"'\`<>)\\]]{1,2000})`, 'giu'),
    (url) => ({ name: 'web_fetch', arguments: { url: url.replace(/[.,;:!?]+$/, '') } }),
  ],
  [
    new RegExp(`${READ}[^\\n]{0,40}?(?<![\\p{L}\\p{N}:/.])(${PATH})`, 'giu'),
    (path) => ({ name: 'view', arguments: { path: path.replace(/[.,;:!?]+$/, '') } }),
  ],
]

function bash(command: string): ModelCall {
  return { name: 'bash', arguments: { command: command.trim() } }
}

/** Finds what names a command, a file, a URL or a tool, whether or not such a tool was offered. */
export function readShell(text: string): ShellReading {
  const calls: ModelCall[] = []
  let rest = text
  for (const [pattern, call] of READERS) {
    rest = rest.replace(pattern, (_: string, first: string, second: unknown) => {
      calls.push(call(first, typeof second === 'string' ? second : ''))
      return '\n'
    })
  }
  return { calls, rest }
}
