import type { IntentClass } from '../derivation.ts'

/** What decides the class of a verb that alone says too little: `send` money, a document or word. */
export type ObjectRule = 'send' | 'move' | 'make' | 'put' | 'stop'

/** A verb in one of its forms. */
export interface Verb {
  readonly class: IntentClass
  readonly language: Language
  /** `base` opens an order; `infinitive` does so behind `å` or a modal; `other` is recognised and orders nothing. */
  readonly form: 'base' | 'infinitive' | 'other'
  readonly words: readonly string[]
  readonly rule?: ObjectRule
}

/** `no`: spelled alike in bokmål and nynorsk. */
type Language = 'en' | 'nb' | 'nn' | 'no'

interface Row {
  readonly class: IntentClass
  readonly rule?: ObjectRule
  /** Base forms; present, gerund and past follow by rule, irregular ones stand in `other`. */
  readonly en: string
  /** Norwegian imperatives; the infinitive adds `e` or, in nynorsk, `a`. */
  readonly no?: string
  /** Imperatives that only one written form has, or that are their own infinitive. */
  readonly nb?: string
  readonly nn?: string
  readonly other?: string
}

/** One row for each class and rule. Commas separate entries; an entry may have several words. */
const ROWS: readonly Row[] = [
  {
    class: 'read',
    en: 'show, display, view, see, read, check, list, get, fetch, find, open, look, look up, look at, look for, look into, have a look at, take a look at, tell me, tell, let me see, let me know, search, explain, describe, know, count, calculate, verify, review, inspect, retrieve, print, find out, see if, double check, double-check, go through, analyze, analyse, help me understand, understand, investigate, remind me what, remind me how much',
    no: 'vis, les, sjekk, list, list opp, hent, finn, finn ut, søk, forklar, tell, regn ut, beregn, kontroller, skriv ut, få se, få vite, få vita, undersøk, studer',
    nb: 'se, åpne, fortell, si, slå opp, la meg se, la meg få se, gjennomgå',
    nn: 'sjå, syn, opne, fortel, sei, rekn ut, la meg sjå, lat meg sjå, få sjå, gå gjennom, slå opp',
    other:
      'showing, showed, shown, seen, saw, seeing, reading, getting, got, found, finding, told, viser, ser, ser på, leser, ble vist',
  },
  {
    class: 'summarize',
    en: 'summarize, summarise, sum up, recap, compare',
    no: 'oppsummer, summer, summer opp, sammenlign, samanlikn, gi meg et sammendrag av, gi meg en oppsummering av, gje meg eit samandrag av',
    nb: 'sammenfatt',
    nn: 'samanfatt',
    other: 'summary, oppsummering, oppsummeringen, sammendrag, samandrag',
  },
  { class: 'transform', en: 'translate, sort, reformat, group', no: 'sorter, grupper', nb: 'oversett', nn: 'omset' },
  {
    class: 'move_money',
    en: 'pay, refund, repay, reimburse, wire, remit, donate, vipps, pay back, pay off, top up, settle',
    no: 'betal, refunder, tilbakebetal, innbetal, vipps, betal tilbake, betal inn',
    nb: 'gjør opp',
    nn: 'gjer opp',
    other: 'paid, paying, repaid, payed, wired, betaler, betalt, vippser, vippset',
  },
  {
    class: 'move_money',
    rule: 'send',
    en: 'send, give, send back, send over',
    no: 'send, send over, send tilbake',
    nb: 'gi',
    nn: 'gje',
    other: 'sent, sending, gave, given, giving, sender, sendt, sendte, gir, gjev, gav, ga',
  },
  {
    class: 'move_money',
    rule: 'move',
    en: 'transfer, move, shift, deposit, withdraw',
    no: 'overfør, flytt, før over, tilbakefør',
    other: 'transferred, transferring, moved, moving, overfører, overført, flytter, flyttet, flytta',
  },
  {
    class: 'move_money',
    rule: 'put',
    en: 'put, set, set aside, put aside, stick',
    no: 'sett, sett inn, legg, sett av',
    other: 'putting, setter, legger, set',
  },
  {
    class: 'create',
    rule: 'make',
    en: 'make, do',
    no: 'lag',
    nb: 'gjør, foreta, ordne',
    nn: 'gjer, føreta, ordna',
    other: 'making, made, doing, gjorde',
  },
  {
    class: 'create',
    en: 'create, set up, schedule, add, register, issue, set up for me, save, arrange',
    no: 'opprett, registrer, sett opp, planlegg, arranger',
    nb: 'legg til, legg inn',
    nn: 'legg til, legg inn',
    other: 'setting up, adding, oppretter',
  },
  {
    class: 'update',
    en: 'change, adjust, update, edit, modify, correct, rename, increase, raise, lower, reduce, replace, reset, postpone, amend, fix',
    no: 'oppdater, juster, bytt, rett, rett opp, korriger, øk, auk, senk, reduser, rediger, skift, utsett',
    nb: 'endre',
    nn: 'endra, endre',
    other: 'changing, endrer, oppdaterer',
  },
  {
    class: 'delete',
    en: 'delete, remove, erase, close, terminate, clear, get rid of, drop, undo',
    no: 'slett, fjern, kanseller, avslutt, avbestill, lukk, steng, stryk',
    nb: 'si opp, ta bort',
    nn: 'sei opp, ta bort',
    other: 'deleting, removing, sletter',
  },
  {
    class: 'delete',
    rule: 'stop',
    en: 'cancel, stop',
    no: 'avbryt, stopp, stans',
    other: 'stopping, canceling, cancelling',
  },
  {
    class: 'export',
    en: 'export, download, email, e-mail, forward, share, upload, publish, mail',
    no: 'eksporter, last ned, last opp, videresend, vidaresend, del',
    other: 'forwarding, emailing, sharing, exporting, deler',
  },
  {
    class: 'delegate',
    en: 'grant, authorize, authorise, delegate, appoint, give access',
    no: 'deleger, autoriser, bemyndig',
    other: 'granting',
  },
  {
    class: 'admin',
    en: 'block, unblock, freeze, unfreeze, enable, disable, activate, deactivate, promote',
    no: 'sperr, blokker, frys, aktiver, deaktiver, opphev, slå av, slå på',
    other: 'blocking',
  },
]

const entries = (list = ''): readonly string[] => list.split(', ').filter((entry) => entry !== '')
/** The first word takes the ending: `sett opp` is `sette opp`. */
const ending = (entry: string, end: string): string => entry.replace(/^[^ ]+/, (word) => word + end)

function english(entry: string): readonly string[] {
  const [first = '', ...rest] = entry.split(' ')
  const stem = /[^eo]e$/.test(first) ? first.slice(0, -1) : first
  return [`${first}s`, `${stem}ing`, `${stem}ed`].map((form) => [form, ...rest].join(' '))
}

function* formsOf(row: Row): Generator<Verb> {
  const verb = (entry: string, form: Verb['form'], language: Language): Verb => ({
    class: row.class,
    language,
    form,
    words: entry.split(' '),
    ...(row.rule === undefined ? {} : { rule: row.rule }),
  })
  for (const entry of entries(row.en)) {
    yield verb(entry, 'base', 'en')
    for (const form of english(entry)) yield verb(form, 'other', 'en')
  }
  for (const language of ['no', 'nb', 'nn'] as const) {
    for (const entry of entries(row[language])) {
      yield verb(entry, 'base', language)
      yield verb(ending(entry, 'e'), 'infinitive', language === 'no' ? 'no' : language)
      yield verb(ending(entry, 'a'), 'infinitive', 'nn')
      for (const form of ['er', 'es', 'ast']) yield verb(ending(entry, form), 'other', 'no')
    }
  }
  for (const entry of entries(row.other)) yield verb(entry, 'other', 'no')
}

/** Verbs by their first word, those of more words first. */
const BY_FIRST: ReadonlyMap<string, readonly Verb[]> = (() => {
  const verbs = new Map<string, Verb[]>()
  for (const verb of ROWS.flatMap((row) => [...formsOf(row)])) {
    const first = verb.words[0] ?? ''
    const same = verbs.get(first)
    if (same === undefined) verbs.set(first, [verb])
    else same.push(verb)
  }
  for (const same of verbs.values()) same.sort((a, b) => b.words.length - a.words.length)
  return verbs
})()

/** The verb at a place of a list of lower-case words: the longest, and of equal ones the one that can order. */
export function verbAt(words: readonly string[], at: number): Verb | undefined {
  const candidates = BY_FIRST.get(words[at] ?? '')
  return candidates?.find((verb) => verb.words.every((word, offset) => words[at + offset] === word))
}

/** True for the first word of an order: `pay`, `vis`. */
export const isRequestVerb = (word: string): boolean =>
  BY_FIRST.get(word)?.some(({ form }) => form !== 'other') === true
/** True for the first word of a verb in any form: `paid`, `viser`. */
export const isVerbWord = (word: string): boolean => BY_FIRST.has(word)
