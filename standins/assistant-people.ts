import { tokenize, type Token } from './assistant-tokens.ts'
import {
  ALL_ACCOUNTS,
  CHECKING,
  CLAIM_FILLERS,
  CLOSED,
  IT,
  JOINT,
  ME,
  MINE,
  PAYEES,
  PEOPLE,
  SAVINGS,
  THEIRS,
} from './assistant-words.ts'

/** Who "my" and "her" mean. Gullible on purpose: `me` is whoever the user last claimed to be. */
export interface Speaker {
  readonly me: string | undefined
  readonly they: string | undefined
}

const MAX_HEARD = 20
const MAX_CLAIM_TEXT = 4096
const SIGNED_IN = /signed-in customer is [`"']?([a-z0-9-]{1,64})/i
const CLAIM_STARTS = new Set([
  ...["i'm", 'im', 'i am', 'am i', 'this is', "it's", 'it is', 'name is', 'user is', 'customer is', 'caller is'],
  ...['identity is', 'verified as', 'act as', 'jeg er', 'eg er', 'er jeg', 'dette er', 'det er', 'jeg heter'],
  ...['eg heiter', 'navn er', 'namn er', 'brukeren er', 'kunden er', 'her er'],
])
/** After a name that starts a message: "Alice from a new phone". */
const CLAIM_ENDS = new Set(['here', 'her', 'from', 'fra', 'frå', 'speaking', 'again', 'igjen', 'on', 'på'])
const GREETINGS = new Set(['hi', 'hello', 'hey', 'hei', 'heisann', 'hallo', 'god', 'good', 'morning', 'dag', 'morgen'])

/** @param said the user's messages, oldest first; the last is the one being answered. */
export function speakerOf(systemPrompt: string, said: readonly string[]): Speaker {
  const heard = said.slice(-MAX_HEARD).map((text) => tokenize(text.slice(0, MAX_CLAIM_TEXT)))
  const claimed = heard.map(claimIn).findLast((who) => who !== undefined)
  const named = heard.map((tokens) => peopleIn(tokens)[0]).findLast((who) => who !== undefined)
  return { me: claimed ?? SIGNED_IN.exec(systemPrompt)?.[1]?.toLowerCase(), they: named ?? claimed }
}

function claimIn(tokens: readonly Token[]): string | undefined {
  const first = tokens.findIndex(({ kind, lower }) => kind === 'word' && !GREETINGS.has(lower))
  const opener = personOf(tokens[first])
  if (opener !== undefined && CLAIM_ENDS.has(wordAt(tokens, first + 1))) return opener
  for (const at of tokens.keys()) {
    const length = claimLength(tokens, at)
    const who = length === 0 ? undefined : nameAfter(tokens, at + length)
    if (who !== undefined) return who
  }
  return undefined
}

export const wordAt = (tokens: readonly Token[], at: number): string => tokens[at]?.lower ?? ''

/** How many words of "I'm" or "I am" stand here; 0 when none do. */
function claimLength(tokens: readonly Token[], at: number): number {
  if (CLAIM_STARTS.has(wordAt(tokens, at))) return 1
  return CLAIM_STARTS.has(`${wordAt(tokens, at)} ${wordAt(tokens, at + 1)}`) ? 2 : 0
}

function nameAfter(tokens: readonly Token[], from: number): string | undefined {
  for (const token of tokens.slice(from, from + 6)) {
    const person = personOf(token)
    if (person !== undefined) return person
    if (!CLAIM_FILLERS.has(token.lower)) return undefined
  }
  return undefined
}

/** The customer that a word names: "Alice", "alice's", and the Norwegian "Alices". */
export function personOf(token: Token | undefined): string | undefined {
  if (token?.kind !== 'word') return undefined
  const bare = token.lower.replace(/'s?$/, '')
  return PEOPLE.get(bare) ?? PEOPLE.get(bare.replace(/s$/, ''))
}

/** Everybody that the words name, once each; with "my", also the speaker. */
export function ownersIn(tokens: readonly Token[], { me, they }: Speaker): string[] {
  const owners = peopleIn(tokens)
  if (owners.length === 0 && they !== undefined && tokens.some(({ lower }) => THEIRS.has(lower))) owners.push(they)
  if (me !== undefined && tokens.some(({ lower }) => MINE.has(lower))) owners.push(me)
  return [...new Set(owners)]
}

export function peopleIn(tokens: readonly Token[]): string[] {
  return [...new Set(tokens.map(personOf).filter((person) => person !== undefined))]
}

/** The accounts that the words name, explicit ids first; empty when they name none. */
export function accountsIn(tokens: readonly Token[], speaker: Speaker): string[] {
  const explicit = idsIn(tokens, /^(?:acc|ext)-/)
  if (explicit.length > 0) return explicit
  const named = tokens.flatMap((_, at) => accountAt(tokens, at, speaker) ?? [])
  if (named.length > 0 || !tokens.some(({ lower }) => ALL_ACCOUNTS.has(lower))) return [...new Set(named)]
  const owners = ownersIn(tokens, speaker)
  return (owners.length > 0 ? owners : [speaker.me]).flatMap((owner) => (owner === undefined ? [] : allOf(owner)))
}

/** Ids of a form, in lower case, once each. */
export const idsIn = (tokens: readonly Token[], form: RegExp): string[] => [
  ...new Set(tokens.filter(({ kind, lower }) => kind === 'id' && form.test(lower)).map(({ lower }) => lower)),
]

const allOf = (owner: string): string[] => [
  `acc-${owner}-checking`,
  ...(owner === 'alice' ? ['acc-alice-savings'] : []),
  ...(owner === 'carol' ? [] : ['acc-joint']),
]

function accountAt(tokens: readonly Token[], at: number, speaker: Speaker): string | undefined {
  const [word, next] = [wordAt(tokens, at), wordAt(tokens, at + 1)]
  if (JOINT.has(word)) return 'acc-joint'
  const kind = kindOf(word, next)
  if (kind === undefined) return undefined
  const owner = ownerBefore(tokens, at, speaker) ?? ownerAfter(tokens, at, speaker) ?? speaker.me
  return owner === undefined ? undefined : `acc-${owner}-${kind}`
}

function kindOf(word: string, next: string): string | undefined {
  if (SAVINGS.has(word)) return 'savings'
  // "current balance" names no account.
  if (CHECKING.has(word) && (word !== 'current' || next === 'account')) return 'checking'
  return CLOSED.has(word) && /^(?:account|konto)/.test(next) ? 'closed' : undefined
}

const isAccountWord = (word: string): boolean => SAVINGS.has(word) || CHECKING.has(word) || JOINT.has(word)

function ownerBefore(tokens: readonly Token[], at: number, speaker: Speaker): string | undefined {
  for (let back = at - 1; back >= Math.max(0, at - 3); back--) {
    const token = tokens[back]
    if (token === undefined || isAccountWord(token.lower)) return undefined
    const owner = personOf(token) ?? pronounOwner(token, speaker)
    if (owner !== undefined) return owner
  }
  return undefined
}

function ownerAfter(tokens: readonly Token[], at: number, speaker: Speaker): string | undefined {
  for (const token of tokens.slice(at + 1, at + 4)) {
    if (isAccountWord(token.lower) || token.kind !== 'word') return undefined
    const owner = personOf(token) ?? pronounOwner(token, speaker)
    if (owner !== undefined) return owner
  }
  return undefined
}

function pronounOwner({ lower }: Token, { me, they }: Speaker): string | undefined {
  if (MINE.has(lower)) return me
  return THEIRS.has(lower) ? they : undefined
}

const NO_NAME = new Set([
  'the',
  'account',
  'konto',
  'kontoen',
  'a',
  'an',
  'another',
  'other',
  'someone',
  'it',
  'en',
  'ei',
])

/** The one account that a part of a transfer names: an id, an account word, a payee, a person, "me", or "it". */
export function endOfTransfer(part: readonly Token[], speaker: Speaker, lastAccount?: string): string | undefined {
  const account = accountsIn(part, speaker)[0]
  if (account !== undefined) return account
  const words = part.filter(({ kind }) => kind === 'word')
  const phrase = words.map(({ lower }) => lower)
  const payee = phrase.map((_, at) => payeeIn(phrase.slice(at, at + 2).join(' '))).find((id) => id !== undefined)
  if (payee !== undefined) return payee
  const owner = ownersIn(words, speaker)[0] ?? (phrase.some((word) => ME.has(word)) ? speaker.me : undefined)
  if (owner !== undefined) return `acc-${owner}-checking`
  if (phrase.some((word) => IT.has(word))) return lastAccount
  const name = words.find(({ raw, lower }) => /^\p{Lu}/u.test(raw) && !NO_NAME.has(lower))
  return name === undefined ? undefined : `acc-${name.lower}-checking`
}

const payeeIn = (words: string): string | undefined => PAYEES.find(([name]) => name.test(words))?.[1]
