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
export type CommandName = keyof typeof COMMANDS

/** Reads one line: a command begins with a slash, everything else is a message. */
export function parseInput(line: string): Input {
  const text = line.trim()
  if (text === '') return { kind: 'nothing' }
  if (!text.startsWith('/')) return { kind: 'message', text: line }
  const [word = '', ...rest] = text.slice(1).split(/\s+/)
  const name = (Object.keys(COMMANDS) as CommandName[]).find((each) => each === word)
  return name === undefined ? { kind: 'unknown', name: word } : { kind: 'command', name, argument: rest.join(' ') }
}

/** Each command as it is typed, and what it does. */
export const helpRows = (): readonly (readonly [usage: string, does: string])[] =>
  Object.values(COMMANDS).map(({ usage, does }) => [usage, does])

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
