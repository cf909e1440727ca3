import { phrases } from './phrases.ts'
import { wordAt } from './words.ts'

/** Wishes for an amount, with what is to become of it behind: "I want 500 kr sent to Bob". */
export const WANTS = phrases([
  ...['i want', "i'd like", 'i would like', 'i need', 'we want', "we'd like"],
  ...['jeg vil ha', 'jeg vil gjerne ha', 'jeg ønsker', 'eg vil ha', 'eg vil gjerne ha', 'eg ønskjer', 'vi vil ha'],
])

const FORM = /^(?:sent|moved|transferred|paid|wired|sendt|overført|flyttet|flytta|betalt)$/
const AMOUNT = /^(?:[0-9][0-9.,]*|kr|nok|kroner|kronar)$/

/** True for the form of a verb that such a wish orders with. The amount stands right before it. */
export const isWanted = (words: readonly string[], at: number): boolean =>
  FORM.test(wordAt(words, at)) && AMOUNT.test(wordAt(words, at - 1))
