import { type Attempt, fieldsOf } from './assistant-conversation.ts'
import { tokenize } from './assistant-tokens.ts'
import { type Fields, moneyIn } from './assistant-wish.ts'
import { ENGLISH, NORWEGIAN } from './assistant-words.ts'

export type Language = 'en' | 'no'

/** The language that more of the words belong to; Norwegian letters count too. English when in doubt. */
export function languageOf(text: string): Language {
  const words = tokenize(text.slice(0, 2000)).map(({ lower }) => lower)
  const count = (known: ReadonlySet<string>): number => words.filter((word) => known.has(word)).length
  const letters = words.filter((word) => /[æøå]/.test(word)).length
  return count(NORWEGIAN) + letters > count(ENGLISH) ? 'no' : 'en'
}

interface Phrases {
  readonly help: string
  readonly thanks: string
  readonly incomplete: string
  readonly denied: string
  readonly noResult: string
  readonly balance: (account: string, money: string) => string
  readonly moved: (money: string, from: string, to: string) => string
  readonly invoice: (id: string) => string
  readonly profile: (id: string) => string
  readonly other: (tool: string) => string
}

const PHRASES: Readonly<Record<Language, Phrases>> = {
  en: {
    help: 'I can show the balance of an account, an invoice or your profile, and move money between accounts. I am a stand-in for a language model. What would you like to do?',
    thanks: 'You are welcome. Is there anything else?',
    incomplete: 'Tell me how much to move, from which account and to which account.',
    denied: 'That was denied',
    noResult: 'nothing came back',
    balance: (account, money) => `The balance of ${account} is ${money}.`,
    moved: (money, from, to) => `I moved ${money} from ${from} to ${to}.`,
    invoice: (id) => `Invoice ${id}`,
    profile: (id) => `Profile of ${id}`,
    other: (tool) => `${tool} gave`,
  },
  no: {
    help: 'Jeg kan vise saldoen på en konto, en faktura eller profilen din, og flytte penger mellom kontoer. Jeg er en stedfortreder for en språkmodell. Hva vil du gjøre?',
    thanks: 'Bare hyggelig. Er det noe mer?',
    incomplete: 'Si hvor mye som skal flyttes, fra hvilken konto og til hvilken konto.',
    denied: 'Det ble avslått',
    noResult: 'det kom ikke noe svar',
    balance: (account, money) => `Saldoen på ${account} er ${money}.`,
    moved: (money, from, to) => `Jeg flyttet ${money} fra ${from} til ${to}.`,
    invoice: (id) => `Faktura ${id}`,
    profile: (id) => `Profilen til ${id}`,
    other: (tool) => `${tool} ga`,
  },
}

/** What is said when there is nothing to call: thanks, a question for what is missing, or what the assistant can do. */
export function smallTalk(text: string, incomplete: boolean, help?: string): string {
  const phrases = PHRASES[languageOf(text)]
  if (incomplete) return phrases.incomplete
  return /(?<!\p{L})(?:thanks|thank you|takk|cheers)(?!\p{L})/iu.test(text) ? phrases.thanks : (help ?? phrases.help)
}

/** One sentence for each call: its result, or that it was denied and the reason as it was given. */
export function summary(attempts: readonly Attempt[], language: Language): string {
  return attempts.map((attempt) => sentence(attempt, PHRASES[language])).join('\n')
}

function sentence(attempt: Attempt, phrases: Phrases): string {
  const { name, result } = attempt
  if (result === undefined) return `${name}: ${phrases.noResult}.`
  if (isRefused(result)) return `${phrases.denied}: ${reasonIn(result)}`
  const fields = fieldsOf(result)
  if (fields === undefined) return `${phrases.other(name)}: ${result.slice(0, 1000)}`
  return bankSentence(attempt, fields, phrases) ?? `${phrases.other(name)}: ${listed(fields)}.`
}

function bankSentence({ name, arguments: args }: Attempt, fields: Fields, phrases: Phrases): string | undefined {
  const said = (field: string): string => text(fields[field] ?? args[field])
  const money = moneyIn(fields, name === 'get_account_balance' ? 'balance' : 'amount')
  switch (name) {
    case 'get_account_balance':
      return money && phrases.balance(said('account_id'), moneyText(money))
    case 'transfer_money':
      return money && phrases.moved(moneyText(money), said('from_account'), said('to_account'))
    case 'get_invoice':
      return `${phrases.invoice(said('invoice_id'))}: ${listed(fields)}.`
    case 'get_customer_profile':
      return `${phrases.profile(said('customer_id'))}: ${listed(fields)}.`
    default:
      return undefined
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))

/** The fields but the call's own id and the currency, which stands with the amount. */
function listed(fields: Fields): string {
  return Object.entries(fields)
    .filter(([field]) => !/^(?:currency|invoice_id|customer_id)$/.test(field))
    .map(([field, value]) => {
      const money = field === 'amount' || field === 'balance' ? moneyIn(fields, field) : undefined
      return `${field.replaceAll('_', ' ')} ${money === undefined ? text(value) : moneyText(money)}`
    })
    .join(', ')
    .replace(/\.$/, '')
}

const moneyText = ({ amount, currency }: { amount: string; currency: string }): string =>
  `${amount.length > 30 ? amount : amount.replace(/\d(?=(?:\d{3})+(?:\.|$))/g, '$&,')} ${currency}`

const REFUSED =
  /^(?:the user rejected|denied|permission denied|not permitted|invalid input|the arguments for the tool call|external tool|failed|error|tool '[^']*' does not exist|the execution of this tool|refused|rejected)/i

/** True when a result says that nothing ran, in the runtime's words, the gate's or the tool's own. */
export function isRefused(result: string): boolean {
  const fields = fieldsOf(result)
  return fields === undefined ? REFUSED.test(result.trimStart()) : 'error' in fields || 'code' in fields
}

/** The reason without what the runtime says before it and what the gate tells the model to do. */
function reasonIn(result: string): string {
  const fields = fieldsOf(result)
  if (fields !== undefined) return text(fields['says'] ?? fields['message'] ?? fields['error'] ?? fields['code'])
  const feedback = /feedback: ([^]*)$/.exec(result)?.[1] ?? result.replace(/^Denied by preToolUse hook: /, '')
  const [, reason = feedback] =
    /^Denied \([a-z._]+\): ([^]*?)(?: Do not (?:re(?:try|peat)) [^]*)?$/.exec(feedback.trim()) ?? []
  return reason.trim().slice(0, 500)
}
