import { isAscii } from './fold.ts'

/** Control and format characters, line separators, and every blank but the plain one. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u
/** The short alias that Windows gives to a long name: `GIT~1`, `GI1A2B~1.TXT`. */
const SHORT_ALIAS = /^[^~]{1,8}~[0-9]{1,6}(?:\.[^.]{0,3})?$/
const DOTS = /^\.{1,2}$/
/** Names that open a device wherever they stand on Windows, whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$) *(?:\.|$)/i
/** What a reader takes for a slash, and no compatible form turns into one. */
const SLASH_LIKE = /[\u2044\u2215\u27cb\u29f5\u29f8\u29f9\u2571\u2572]/

/** Why no system opens this text as a path, or undefined. */
export function unopenable(spelled: string): string | undefined {
  if (spelled.includes('\0')) return 'it holds a NUL'
  return spelled.isWellFormed() ? undefined : 'it holds a lone surrogate'
}

/** Why a path hides what it names from a reader, or undefined. */
export function hidden(spelled: string): string | undefined {
  const problem = unopenable(spelled)
  if (problem !== undefined) return problem
  return HIDDEN.test(spelled) ? 'it holds a control, format or unusual blank character' : undefined
}

/**
 * Why a file tool's path is refused by its spelling alone, on every system: another system, a shell or a later step would
 * read it as another file. Undefined for a plain path. Design: firewall requests.
 */
export function unplain(spelled: string): string | undefined {
  const problem = hidden(spelled)
  if (problem !== undefined) return problem
  if (spelled.trim() === '') return 'it is empty'
  return firstOf([...FOREIGN, ...ODD], spelled)
}

/** The part of `unplain` that holds for a text that is perhaps no path: forms that only another system or step reads so. */
export const foreign = (spelled: string): string | undefined => firstOf(FOREIGN, spelled)

interface Form {
  readonly says: string
  readonly test: (spelled: string) => boolean
}

const firstOf = (forms: readonly Form[], spelled: string): string | undefined =>
  forms.find(({ test }) => test(spelled))?.says

const FOREIGN: readonly Form[] = [
  { says: 'it holds a backslash', test: (spelled) => spelled.includes('\\') },
  { says: 'it starts with two slashes', test: (spelled) => spelled.startsWith('//') },
  { says: 'it holds an encoded NUL', test: (spelled) => /%(?:25)*00/.test(spelled) },
  // Accents are fine in either form; a full-width slash or dot is not.
  { says: 'it holds look-alike characters', test: holdsLookAlikes },
  { says: 'it holds a short alias of a long name', test: hasName((name) => SHORT_ALIAS.test(name)) },
]

const ODD: readonly Form[] = [
  { says: 'it starts with a tilde', test: (spelled) => spelled.startsWith('~') },
  { says: 'it holds a colon, as a drive, a stream or a URI does', test: (spelled) => spelled.includes(':') },
  { says: 'a name in it is that of a device', test: hasName((name) => DEVICE.test(name)) },
  {
    says: 'a name in it starts with a blank, or ends in a dot or blank',
    test: hasName((name) => /^ |[. ]$/.test(name) && !DOTS.test(name)),
  },
]

/** Also a sign that stands for one other sign, as the Kelvin sign does: composing alone replaces it. */
function holdsLookAlikes(spelled: string): boolean {
  if (isAscii(spelled)) return false
  if (SLASH_LIKE.test(spelled) || spelled.normalize('NFKC') !== spelled.normalize('NFC')) return true
  return Array.from(spelled).some((sign) => {
    const composed = sign.normalize('NFC')
    return composed !== sign && Array.from(composed).length === 1
  })
}

function hasName(test: (name: string) => boolean): (spelled: string) => boolean {
  return (spelled) => spelled.split('/').some(test)
}
