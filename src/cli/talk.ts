/** What one line of an interactive chat asks for. */
export type Input =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: CommandName; readonly argument: string }
  | { readonly kind: 'unknown'; readonly name: string }

const COMMANDS = {
  why: { usage: '/why', does: 'the last decision in full, and what would have been permitted' },
  as: { usage: '/as <customer>', does: 'sign in as another customer; a new conversation' },
  bank: { usage: '/bank <tenant>', does: 'go to another bank; a new conversation' },
  audit: { usage: '/audit', does: 'the latest calls on record' },
  tools: { usage: '/tools', does: 'the tools that the assistant has' },
  stop: { usage: '/stop', does: 'take back all that your messages allow so far; stops a turn under way too' },
  help: { usage: '/help', does: 'this list' },
  quit: { usage: '/quit', does: 'leave; Ctrl-C twice does the same, once stops a turn' },
} as const
/** The word behind the slash. */
export type CommandName = keyof typeof COMMANDS
/** Those that the conversation does not answer by itself. */
export type PartyCommand = Exclude<CommandName, 'stop' | 'help' | 'quit'>

/** Those of a bank's chat, in the order of `/help`. */
export const BANK_COMMANDS = Object.keys(COMMANDS) as readonly CommandName[]
/** Those of a workspace, where nobody signs in as somebody else. */
export const WORKSPACE_COMMANDS = BANK_COMMANDS.filter((name) => name !== 'as' && name !== 'bank')

/** Reads one line: a command begins with a slash, everything else is a message. */
export function parseInput(line: string, commands: readonly CommandName[] = BANK_COMMANDS): Input {
  const text = line.trim()
  if (text === '') return { kind: 'nothing' }
  if (!text.startsWith('/')) return { kind: 'message', text: line }
  const [word = '', ...rest] = text.slice(1).split(/\s+/)
  const name = commands.find((each) => each === word)
  return name === undefined ? { kind: 'unknown', name: word } : { kind: 'command', name, argument: rest.join(' ') }
}

/** Each command as it is typed, and what it does. */
export const helpRows = (commands: readonly CommandName[]): readonly (readonly [usage: string, does: string])[] =>
  commands.map((name) => [COMMANDS[name].usage, COMMANDS[name].does])

/** What other programs call ours. */
const OTHERWISE: Readonly<Record<string, CommandName>> = {
  exit: 'quit',
  bye: 'quit',
  q: 'quit',
  h: 'help',
  '?': 'help',
}

/** The command that was meant by a word that is none, where that is likely. */
export function meant(word: string, commands: readonly CommandName[]): CommandName | undefined {
  const lower = word.toLowerCase()
  const known = Object.hasOwn(OTHERWISE, lower) ? OTHERWISE[lower] : lower
  return commands.find(
    (name) => name === known || (lower.length > 1 && (name.startsWith(lower) || lower.startsWith(name))),
  )
}

/**
 * What Tab makes of a line: the commands that begin so, or what a command can be given.
 * @param given the choices of a command; none where it takes nothing.
 */
export function completed(
  line: string,
  commands: readonly CommandName[],
  given: (name: CommandName) => readonly string[],
): readonly string[] {
  const named = /^\/(\S+)\s+(\S*)$/.exec(line)
  const name = commands.find((each) => each === named?.[1])
  const all = name === undefined ? commands.map((each) => `/${each}`) : given(name).map((each) => `/${name} ${each}`)
  const start = name === undefined ? line : `/${name} ${named?.[2] ?? ''}`
  return line.startsWith('/') ? all.filter((each) => each.startsWith(start)) : []
}

/** What a command that lacks its argument could be given. */
export const choices = (command: string, all: readonly string[], now: string): string =>
  `${command} needs one of ${all.map((each) => (each === now ? `${each} (now)` : each)).join(', ')}`

/** Joins pieces of streamed text so that no character is cut in two. */
export function wholeCharacters(): (piece: string) => string {
  let held = ''
  return (piece) => {
    const text = held + piece
    const last = text.charCodeAt(text.length - 1)
    const cut = last >= 0xd800 && last <= 0xdbff
    held = cut ? text.slice(-1) : ''
    return cut ? text.slice(0, -1) : text
  }
}
