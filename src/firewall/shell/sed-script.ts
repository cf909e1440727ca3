// One command: `3p`, `$p`, `2,5p`, `/from/,/to/p`, `1~2p`, `3,+4p`, `10q`, `/x/=`, any of them with `!` before the letter.
const REGEX = String.raw`/(?:[^/\\\[]|\\[^\n]|\[\^?\]?[^\]/\\]*\])+/`
const ADDRESS = String.raw`(?:\d{1,9}(?:~\d{1,9})?|\$|${REGEX})`
const COMMAND = String.raw`[ \t]*(?:${ADDRESS}(?:,[ \t]*(?:${ADDRESS}|[+~]\d{1,9}))?)?[ \t]*(?:![ \t]*)?[p=qQ][ \t]*`
const SCRIPT = new RegExp(String.raw`^${COMMAND}(?:;${COMMAND})*;?[ \t]*$`)
const MAX_SCRIPT = 512

/**
 * True for a sed script that this grammar takes to its last letter and that can only print lines, count them or stop. Flags
 * after a pattern (`/x/I`) are not in it: they hide what follows.
 */
export const isPrintScript = (script: string): boolean => script.length <= MAX_SCRIPT && SCRIPT.test(script)
