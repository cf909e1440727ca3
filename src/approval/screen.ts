import wrapAnsi from 'wrap-ansi'
import type { Card, CardValue, ValueOrigin } from './approver.ts'
import { legible, type Legible } from './legible.ts'

/** How a line of the card is meant; its text says the same without a color. */
export type CardTone = 'head' | 'plain' | 'warn' | 'dim'

interface CardLine {
  readonly tone: CardTone
  readonly text: string
}

/** A card as it is drawn. */
export interface CardScreen {
  readonly lines: readonly CardLine[]
  /** False when part of a value is left out: then nobody may say yes before they have seen all of it. */
  readonly whole: boolean
}

interface ScreenOptions {
  /** Of the terminal; below 24 it is drawn for 24. */
  readonly columns: number
  /** Every value, evaluation and digit of the digest. @defaultValue false: long values as head and tail */
  readonly full?: boolean
}

const NARROWEST = 24
/** From this width on, a value stands beside its label. */
const BESIDE = 60
const LABEL_COLUMNS = 22

const ORIGIN: Readonly<Record<ValueOrigin, { readonly mark: string; readonly tone: CardTone; readonly says: string }>> =
  {
    user: { mark: ' ', tone: 'plain', says: 'you said it' },
    login: { mark: '*', tone: 'plain', says: 'not in your message: from your login' },
    record: { mark: '*', tone: 'plain', says: 'not in your message: from the record of' },
    tool: { mark: '!', tone: 'warn', says: 'NOT YOUR WORDS: from the output of a tool' },
    model: { mark: '!', tone: 'warn', says: 'NOT YOUR WORDS: the model chose it' },
  }

/** What the drawing functions share. */
interface Drawing {
  readonly columns: number
  readonly full: boolean
}

/**
 * The card as lines of a terminal, in ASCII but for letters that look like nothing else. Each line begins with a mark of
 * ours, so that nothing in a value can pass for a line of the card.
 */
export function cardScreen(card: Card, { columns, full = false }: ScreenOptions): CardScreen {
  const drawing = { columns: Math.max(NARROWEST, columns), full }
  const rule = '-'.repeat(drawing.columns - 3)
  const shown = [card.sentence, ...card.values.map(({ value }) => value), ...card.changes]
  return {
    lines: [
      { tone: 'dim', text: `+-${rule}` },
      ...text(drawing, 'head', '', 'Confirm this one call, once?'),
      // A command of a workspace has no sentence: its values say it.
      ...(card.sentence === '' ? [] : text(drawing, 'head', '', card.sentence)),
      ...text(drawing, 'plain', '', `for ${card.subject.type} ${card.subject.id} at ${card.tenant}`),
      blank,
      ...card.values.flatMap((value) => valueLines(drawing, value)),
      ...summary(drawing, card.values),
      blank,
      ...text(drawing, 'head', '', 'What will change'),
      ...card.changes.flatMap((change) => text(drawing, 'plain', '- ', change)),
      blank,
      ...footer(drawing, card),
      { tone: 'dim', text: `+-${rule}` },
    ],
    whole: full || shown.every((each) => legible(each).leftOut === 0),
  }
}

const blank: CardLine = { tone: 'plain', text: '|' }

/** One text under a mark; further lines are set in below it. */
function text({ columns, full }: Drawing, tone: CardTone, mark: string, content: string): readonly CardLine[] {
  const gutter = `| ${mark}`
  return wrapped(legible(content, full).text, columns - gutter.length).map((line, index) => ({
    tone,
    text: index === 0 ? `${gutter}${line}` : `|${' '.repeat(gutter.length - 1)}${line}`,
  }))
}

const wrapped = (content: string, columns: number): readonly string[] =>
  wrapAnsi(content, columns, { hard: true }).split('\n')

function valueLines(drawing: Drawing, { label, value, origin, source }: CardValue): readonly CardLine[] {
  const { mark, tone, says } = ORIGIN[origin]
  const shown = legible(value, drawing.full)
  const notes = [{ tone, text: originSays(says, source) }, ...notesOf(shown, drawing.full)]
  const name = legible(label).text
  const beside = drawing.columns >= BESIDE && name.length < LABEL_COLUMNS
  const inset = beside ? LABEL_COLUMNS : 2
  const indent = `|   ${' '.repeat(inset)}`
  const lines = [
    ...wrapped(quoted(shown.text), drawing.columns - indent.length).map((line) => ({ tone, text: line })),
    ...notes.flatMap((note) =>
      wrapped(note.text, drawing.columns - indent.length).map((line) => ({ tone: note.tone, text: line })),
    ),
  ]
  const head = `| ${mark} ${name}`
  if (!beside) {
    return [
      ...wrapped(name, drawing.columns - 4).map((line) => ({ tone, text: `| ${mark} ${line}` })),
      ...lines.map((line) => ({ ...line, text: `${indent}${line.text}` })),
    ]
  }
  return lines.map((line, index) => ({
    ...line,
    text: index === 0 ? `${head.padEnd(indent.length)}${line.text}` : `${indent}${line.text}`,
  }))
}

/** Quotes show where a text with spaces begins and ends; an amount with its currency is plain enough. */
function quoted(shown: string): string {
  return shown !== '' && (!/[ "]/.test(shown) || /^[0-9.]+ [A-Z]{3}$/.test(shown))
    ? shown
    : `"${shown.replaceAll('"', '\\"')}"`
}

const originSays = (says: string, source: string | undefined): string => {
  const from = source === undefined ? undefined : legible(source).text
  if (says.endsWith(' of')) return from === undefined ? `${says} the account holder` : `${says} ${from}`
  return from === undefined ? says : `${says} (${from})`
}

function notesOf({ length, leftOut, hidden, foreign }: Legible, full: boolean): readonly CardLine[] {
  const warn = (says: string): CardLine => ({ tone: 'warn', text: `! ${says}` })
  return [
    ...(leftOut === 0 ? [] : [warn(`${leftOut} of ${length} characters are left out; type d to see all`)]),
    ...(full && length > 100 ? [warn(`${length} characters`)] : []),
    ...(hidden === 0 ? [] : [warn(`${hidden} hidden or steering ${characters(hidden)}, spelled out as \\u{...}`)]),
    ...(foreign === 0
      ? []
      : [warn(`${foreign} ${characters(foreign)} that may look like another, spelled out as \\u{...}`)]),
  ]
}

const characters = (count: number): string => (count === 1 ? 'character' : 'characters')

function summary(drawing: Drawing, values: readonly CardValue[]): readonly CardLine[] {
  const unsaid = values.filter(({ origin }) => ORIGIN[origin].mark === '!').length
  if (unsaid === 0) return []
  const says = `${unsaid} of ${values.length} values ${unsaid === 1 ? 'is' : 'are'} neither your words nor your records.`
  return [blank, ...text(drawing, 'warn', '! ', says)]
}

const DIGEST_SHOWN = 16

function footer(drawing: Drawing, { asks, digest, evaluations }: Card): readonly CardLine[] {
  const groups = (hex: string): string => hex.match(/.{1,8}/g)?.join(' ') ?? ''
  return [
    ...(drawing.full
      ? evaluations.flatMap(({ subject, action, resource }) =>
          text(drawing, 'dim', '', `${subject.type} ${subject.id}: ${action.name} on ${resource.type} ${resource.id}`),
        )
      : []),
    ...(asks === undefined ? [] : text(drawing, 'dim', '', `asked by ${asks}`)),
    ...text(
      drawing,
      'dim',
      '',
      drawing.full ? `digest ${groups(digest)}` : `digest ${groups(digest.slice(0, DIGEST_SHOWN))} ... (d shows all)`,
    ),
  ]
}
