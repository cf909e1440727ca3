import type { Reading } from './found.ts'
import { isWrite } from './negation.ts'
import { moneyAt } from './money.ts'
import { referenceAt } from './names.ts'
import { nounOf } from './nouns.ts'
import type { ReadStep } from './steps.ts'
import { verbAt } from './verbs.ts'
import { ANAPHORA, CONNECTORS, wordAt } from './words.ts'

/** What a bank keeps, by how its words begin; Norwegian ones go on in compounds. */
const STEMS =
  /^(?:account|invoice|bill(?:s|ing)?$|pa(?:y|id)|bank|balance|transact|transfer|loan|saving|credit|interest|fees?$|salar|spen[dt]|owe|deposit|withdr|refund|mortgage|debt|statement|subscription|autogiro|konto|faktura|regning|rekning|betal|saldo|overfør|transaks|lån|spare|kreditt|rente|gebyr|lønn?|overdra|overtrukke|valuta|forbruk|skyld|utgift|inntekt|innskudd|uttak|avtalegiro|abonnement)/
const WORDS: ReadonlySet<string> = new Set(
  'ticket tickets sak saken money cash funds cost costs afford card cards limit limits rent iban kid payee payees recipient profile details settings address phone number email e-mail password name notification standing scheduled planned recurring order orders received sent bought buy purchase purchases category categories income expense expenses budget file files document documents currency kroner nok due overdue penger pengar pengene pengane koster kostet råd kort kortet grense husleie husleien husleige leie mottaker mottakere mottakar profil profilen opplysninger opplysningene opplysningar opplysningane innstillinger adresse adressen adressa telefon telefonnummer telefonnummeret epost e-post passord passordet navn namn faste fast planlagte oppdrag trekk brukt mottatt sendt kjøpt kjøp forfall forfaller utgifter utgifta fil filen fila dokument dokumentet'.split(
    ' ',
  ),
)

/** The steps of a message that asks about the bank; of any other message none: it opens nothing of the subject's. */
export function aboutBank(reading: Reading, steps: readonly ReadStep[]): readonly ReadStep[] {
  const isSettled = steps.some(({ step }) => isWrite(step.class) || step.records.length > 0)
  // What is asked about a paste is answered from the paste.
  const isOfPaste = reading.tokens.some(({ kind }) => kind === 'block')
  return isSettled || isOfPaste || reading.words.some((_, at) => isTopic(reading, at)) ? steps : []
}

function isTopic({ tokens, words, facts, index }: Reading, at: number): boolean {
  const word = wordAt(words, at)
  if (word === '') return false
  if (STEMS.test(word) || WORDS.has(word) || nounOf(word) !== undefined || isMuch(words, at)) return true
  if (referenceAt(index, tokens, words, at) !== undefined) return true
  return isPointedAt(words, at) || moneyAt(tokens, words, at, facts.currency)?.bare === false
}

/** "How much do I have", "hvor mye har jeg". */
const isMuch = (words: readonly string[], at: number): boolean =>
  /^(?:how much|hvor mye|kor mykje|kor mye)$/.test(`${wordAt(words, at)} ${wordAt(words, at + 1)}`)

/** "Show it", "vis meg alt": what was spoken of before. */
function isPointedAt(words: readonly string[], at: number): boolean {
  const verb = verbAt(words, at)
  if (verb === undefined || verb.form === 'other' || isWrite(verb.class)) return false
  const behind = at + verb.words.length
  const object = /^(?:me|us|meg|oss|at|in|on|på|i)$/.test(wordAt(words, behind)) ? behind + 1 : behind
  const next = wordAt(words, object + 1)
  const isAlone = !/^\p{L}/u.test(next) || CONNECTORS.has(next) || /^(?:again|please|now|igjen|takk|nå|no)$/.test(next)
  return isAlone && (ANAPHORA.has(wordAt(words, object)) || /^(?:everything|all|alt)$/.test(wordAt(words, object)))
}
