const MAX_SCRIPT = 512
const COUNT = /\d{1,9}/y
const STEP = /[~+]\d{1,9}/y
const CLASS = /\[:[a-z]{1,10}:\]/y
const BLANKS = /[ \t]*/y
const PRINTS = new Set(['p', '=', 'q', 'Q', 'd'])
const DELIMITERS = '/|,#:@%'
// Not e (runs the text), w (writes a file), m (hides what follows from older seds).
const REPLACES = /[gpI\d]{0,6}/y

/**
 * True for a sed script that this grammar takes to its last letter and that can only print lines, count, drop or change them
 * on their way, or stop: `3p`, `$p`, `2,5p`, `/from/,/to/p`, `1~2p`, `3,+4p`, `10q`, `/x/=`, `/x/d`, `s/a/b/g`, any of them
 * with `!` before the letter. Flags after a pattern (`/x/I`) are not in it: they hide what follows. One pass, no way back.
 */
export function isPrintScript(script: string): boolean {
  if (script.length > MAX_SCRIPT) return false
  let at = command(script, 0)
  while (at !== undefined && script.charAt(at) === ';') {
    const next = past(BLANKS, script, at + 1)
    if (next === script.length) return true
    at = command(script, at + 1)
  }
  return at === script.length
}

/** Where the command that starts here ends, blanks included; undefined when it is not in the grammar. */
function command(script: string, start: number): number | undefined {
  let at = past(BLANKS, script, start)
  const first = address(script, at)
  if (first === undefined) return undefined
  const hasAddress = first > at
  at = first
  if (hasAddress && script.charAt(at) === ',') {
    const from = past(BLANKS, script, at + 1)
    const step = past(STEP, script, from)
    const second = step > from ? step : address(script, from)
    if (second === undefined || second === from) return undefined
    at = second
  }
  at = past(BLANKS, script, at)
  if (script.charAt(at) === '!') at = past(BLANKS, script, at + 1)
  if (script.charAt(at) === 's') return substitution(script, at + 1)
  return PRINTS.has(script.charAt(at)) ? past(BLANKS, script, at + 1) : undefined
}

/** Behind the flags of `s/a/b/g`, whose delimiter stands here. */
function substitution(script: string, at: number): number | undefined {
  const delimiter = script.charAt(at)
  if (delimiter === '' || !DELIMITERS.includes(delimiter)) return undefined
  const replacement = pattern(script, at + 1, delimiter)
  const end = replacement === undefined ? undefined : text(script, replacement, delimiter)
  return end === undefined ? undefined : past(BLANKS, script, past(REPLACES, script, end))
}

/** Behind the delimiter that ends a replacement. */
function text(script: string, start: number, delimiter: string): number | undefined {
  for (let at = start; at < script.length; at++) {
    const sign = script.charAt(at)
    if (sign === delimiter) return at + 1
    if (sign === '\n') return undefined
    if (sign === '\\' && '\n'.startsWith(script.charAt(++at))) return undefined
  }
  return undefined
}

/** Where an address ends: the same place when there is none, undefined when it is a pattern that is not understood. */
function address(script: string, at: number): number | undefined {
  if (script.charAt(at) === '/') return pattern(script, at + 1, '/')
  if (script.charAt(at) === '$') return at + 1
  const number = past(COUNT, script, at)
  return number > at && script.charAt(number) === '~' ? past(STEP, script, number) : number
}

/** Behind the delimiter that ends a pattern. A bracket with a backslash in it is not taken: seds differ on what it means. */
function pattern(script: string, start: number, delimiter: string): number | undefined {
  for (let at = start; at < script.length; at++) {
    const sign = script.charAt(at)
    if (sign === delimiter) return at > start ? at + 1 : undefined
    if (sign === '\n') return undefined
    if (sign === '\\' && '\n'.startsWith(script.charAt(++at))) return undefined
    if (sign !== '[') continue
    const end = bracket(script, at + 1, delimiter)
    if (end === undefined) return undefined
    at = end
  }
  return undefined
}

/** Where the bracket ends that starts before this place. A delimiter in it ends the pattern for some seds. */
function bracket(script: string, start: number, delimiter: string): number | undefined {
  let at = script.charAt(start) === '^' ? start + 1 : start
  if (script.charAt(at) === ']') at++
  for (; at < script.length; at++) {
    const sign = script.charAt(at)
    if (sign === ']') return at
    if (sign === delimiter || '\\\n'.includes(sign)) return undefined
    if (sign !== '[' || !'.:='.includes(script.charAt(at + 1))) continue
    // Some seds look for the end of a class before they look for a delimiter.
    const end = past(CLASS, script, at)
    if (end === at) return undefined
    at = end - 1
  }
  return undefined
}

function past(what: RegExp, script: string, at: number): number {
  what.lastIndex = at
  return at + (what.exec(script)?.[0].length ?? 0)
}
