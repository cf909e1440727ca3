/** Where a text of somebody else begins that nothing marks but the words before, around or behind it. */

/** `text`: from a place to the end. `whole`: a letter with its signature, so nothing of it is sure to be an order. */
type Announced = { readonly kind: 'text'; readonly start: number } | { readonly kind: 'whole' }

interface Sentence {
  readonly start: number
  readonly end: number
  /** Lower case, straight apostrophes. */
  readonly words: string
  readonly endsLine: boolean
}

/** The first such place, if there is one (intent-certificate model, 1.2). In doubt it is there. */
export function announcedIn(text: string): Announced | undefined {
  const sentences = sentencesOf(text)
  if (sentences.some(({ words }, at) => at > 0 && SIGNATURE.test(words)) || INNER_SIGNATURE.test(text)) {
    return { kind: 'whole' }
  }
  let isSalutation = true
  for (const sentence of sentences) {
    const { words, start, end } = sentence
    if (beginsText(words, isSalutation)) return { kind: 'text', start }
    isSalutation &&= GREETING.test(words) && ONLY_GREETING.test(words)
    if (end < text.length && announces(sentence)) return { kind: 'text', start: end }
  }
  return undefined
}

/** A speaker, a greeting that is not meant for the assistant, or any greeting behind the first words. */
const beginsText = (words: string, mayGreet: boolean): boolean =>
  STRANGE_GREETING.test(words) || SPEAKER.test(words) || (!mayGreet && GREETING.test(words))

/** "Is this legit?", "what does it mean?": what the question is about is somebody else's. */
export const asksAboutText = (words: string): boolean =>
  isQuestion(words) && (VERDICT.test(words) || ADVICE.test(words) || hasThis(words))

const PIECE = /[^\n]+?(?:[.!?…](?=\s|$)|$|(?=\n))/gm

function sentencesOf(text: string): readonly Sentence[] {
  return [...text.matchAll(PIECE)].map(({ index, 0: piece }) => {
    const words = piece
      .trim()
      .toLowerCase()
      .replace(/[’‘ʼ´`′]/g, "'")
    const end = index + piece.length
    return { start: index, end, words, endsLine: /^[ \t]*\n/.test(text.slice(end, end + 8)) }
  })
}

const END = String.raw`(?![\p{L}\p{N}])`
const START = String.raw`(?<![\p{L}\p{N}])`
const any = (words: string): RegExp => new RegExp(`${START}(?:${words})${END}`, 'u')
const first = (words: string): RegExp => new RegExp(`^(?:${words})${END}`, 'u')

const GREETING = first(
  'hi|hello|hey|hei|heisann|hallo|dear|kjære|kjære|good (?:morning|afternoon|evening|day)|god (?:dag|morgen|morgon|kveld)|to whom|til den det',
)
const ONLY_GREETING = /^[\p{L}\s,!.'-]{0,40}$/u
/** Nobody writes to a bank's assistant as to a customer. */
const STRANGE_GREETING =
  /^(?:(?:dear|kjære)(?! (?:assistant|bank|team|support|agent|bot|ai|friend|venn|alle|all|assistent)(?![\p{L}]))|(?:hi|hello|hey|hei|hallo),? (?:customer|client|sir|madam|kunde|user|bruker)(?![\p{L}]))/u
/** Speakers of chats, logs and prompts; at the start of a line they are known before. */
const SPEAKER =
  /^\/?(?:system|assistant|user|developer|tool|function|human|ai|bot|admin|prompt)(?:[ _][ _a-z]{0,24})?(?: ?[:=]|[\]>)}|])/
const CLOSINGS = String.raw`(?:with )?(?:best|kind|kindest|warm|many) (?:regards|wishes)|regards(?! to)|sincerely|yours (?:truly|sincerely|faithfully)|mvh|m\.v\.h|(?:med )?(?:vennlig|venleg|vennleg|beste) (?:hilsen|helsing)|hilsen|helsing`
const SIGNATURE = new RegExp(`^(?:${CLOSINGS}|best\\s*(?:,|$)|vh\\s*(?:,|$)|yours\\s*(?:,|$))(?![\\p{L}])`, 'u')
const INNER_SIGNATURE = new RegExp(`[,.!?] +(?:${CLOSINGS})(?![\\p{L}])`, 'iu')

const TEXT =
  'e-?mails?|mails?|letters?|messages?|texts?|sms|notes?|notices?|memos?|invoices?|bills?|requests?|reminders?|notifications?|documents?|attachments?|posts?|articles?|paragraphs?|sentences?|e-?post(?:en)?|brev(?:et)?|melding(?:en|a)?|tekst(?:en)?|notat(?:et)?|faktura(?:en)?|regning(?:en|a)?|rekning(?:a)?|purring(?:en)?|varsel(?:et)?|krav(?:et)?|dokument(?:et)?|vedlegg(?:et)?|setning(?:en|a)?|avsnitt(?:et)?'
const SOME_TEXT = any(TEXT)
/** A letter, but not a note: who left a note is spoken of, who sent a letter may be speaking. */
const LETTER = any(TEXT.replace('notes?|', ''))
const TIME =
  'month|week|year|day|quarter|morning|evening|afternoon|time|weekend|spring|summer|autumn|winter|måned(?:en)?|månad(?:en)?|uk[ea]n?|vek[ea]|året|år|gang(?:en)?|helg(?:en|a)?'
const THIS = new RegExp(
  `${START}(?:this|these|dette|denne|disse|desse|the following|the above|below|attached|vedlagt|følgende|følgjande|nedenfor)${END}(?! (?:${TIME})${END})`,
  'u',
)
const hasThis = (words: string): boolean => THIS.test(words)

const I_GOT = any(
  String.raw`(?:i|we|i've|we've|jeg|eg|vi)(?: [\p{L}']+){0,2} (?:got|gotten|received|get|fikk|fått|fekk|mottok|mottatt|motteke)|(?:got|received|fikk|fekk|mottok)(?: (?:jeg|eg|vi))?`,
)
const SENT_ME = any('(?:sent|sends|gave|forwarded|showed|sendte|sende|videresendte|viste|ga|gav) (?:me|us|meg|oss)')
const WROTE = any('(?:emailed|texted|mailed|messaged) (?:me|us)')
const WROTE_THIS = any('wrote|written|sent|posted|shared|skrev|skreiv|sendte|sende|delte')
const SUBJECT = new RegExp(
  `^(?:(?:a|an|the|new|this|en|ei|et|eit|ny|nytt) ){0,2}(?:${TEXT}) (?:from|fra|frå)${END}`,
  'u',
)
const THAT_CLAUSE = / (?:that|at) [\p{L}]/u
const TASK = any(
  'summari[sz]e|summary|sum up|recap|translate|explain|rewrite|reword|rephrase|paraphrase|proofread|interpret|shorten|reply to|respond to|answer|oppsummer(?:e|a)?|oppsummering|sammendrag|samandrag|sammenfatt(?:e)?|samanfatt(?:e|a)?|oversett(?:e)?|omset(?:t|je|ja)?|forklar(?:e|a)?|tolk(?:e|a)?|omskriv|korrekturles|svar på',
)
const LOOK = any(
  'read|look at|see|check(?: out)?|review|consider|have a look at|take a look at|les|se|sjå|sjekk|vurder',
)
const HERE = first(
  "(?:ok(?:ay)?,? |so |hi,? |hei,? )?(?:here(?:'s| is| are| comes)|see below|her (?:er|kommer|kjem)|se under|se nedenfor)",
)
const OWN = any('my|our|min|mitt|mine|mi|vår|vårt|våre|latest|last|siste|nyeste|inv-[a-z0-9-]+')

const announces = (sentence: Sentence): boolean =>
  asksAboutText(sentence.words) || HERE.test(sentence.words) || tellsOfText(sentence.words) || isTaskOnText(sentence)

/** Something came, or somebody wrote it. What "a note that …" says is said in the sentence itself. */
function tellsOfText(words: string): boolean {
  if (SUBJECT.test(words) || after(I_GOT, words, SOME_TEXT) || (WROTE_THIS.test(words) && hasThis(words))) return true
  return !THAT_CLAUSE.test(words) && (WROTE.test(words) || after(SENT_ME, words, LETTER))
}

/** A text to be explained or looked at, that is not one of the subject's own. */
function isTaskOnText({ words, endsLine }: Sentence): boolean {
  if (TASK.test(words)) return endsLine || hasThis(words) || !namesOwn(words)
  return LOOK.test(words) && hasThis(words) && (endsLine || SOME_TEXT.test(words))
}

/** Something of the subject's is what is to be explained: "summarise my latest invoice". */
const namesOwn = (words: string): boolean =>
  OWN.test(words) || /[\p{L}]-[\p{L}\p{N}-]*\p{N}|\.[a-z]{2,4}\b|["']/u.test(words)

/** "I got this": whatever stands behind the verb or is pointed at. */
function after(verb: RegExp, words: string, text: RegExp): boolean {
  const found = verb.exec(words)
  if (found === null) return false
  const rest = words.slice(found.index + found[0].length)
  return text.test(rest) || hasThis(rest)
}

const ASKS = first(
  "(?:so |and |but |ok(?:ay)?,? |hi,? |hey,? |hei,? |hello,? |og |men )?(?:what|what's|whats|is|are|was|does|do|did|should|shall|can i|could i|who|who's|why|how|where|hva|kva|er|var|skal|bør|må|betyr|tyder|hvem|kven|hvorfor|kvifor|hvordan|korleis|kan jeg|kan eg)",
)
const isQuestion = (words: string): boolean => ASKS.test(words)
const VERDICT = any(
  'legit|legitimate|scam|fraud|phishing|genuine|authentic|trustworthy|spam|fake|real|safe|suspicious|svindel|svindelforsøk|ekte|falsk|falskt|seriøs|seriøst|trygt|trygg|mistenkelig|mistenkeleg|lureri',
)
const ADVICE = any(
  'should i (?:do|say|answer|reply|respond|trust|believe)|do you (?:think|make of)|does (?:it|that|he|she|they) (?:mean|want|say)|do they (?:mean|want|say)|(?:betyr|tyder|meiner|mener) (?:det|de|dei|han|hun|ho)|skal (?:jeg|eg|vi) (?:gjøre|gjere|svare)|(?:synes|syns|tror|trur|mener|meiner) du|gjør (?:jeg|vi) (?:med|nå)|gjer (?:eg|vi) (?:med|no)',
)
