/** The words that the stand-in assistant knows: English, bokmål, and the nynorsk forms that differ. All lower case. */
const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

export const MOVE_VERBS = words(`move transfer send pay wire shift put deposit remit
  overfør overføre overfører flytt flytte flytter betal betale betaler send sende sender sett sette`)
/** Nouns that ask for a transfer when the user says them; in a document they only describe one. */
export const PAY_VERBS = words('pay betal betale betaler settle')
export const MOVE_NOUNS = words('payment betaling overføring transfer')
export const VIEW_VERBS = words(`show view display see check get give tell list look read open reveal print fetch return
  retrieve include disclose need want whats what's what vis vise viser se sjekk sjekke hent hente gi gje fortell fortel les
  oppgi finn skriv hva kva hvor kor trenger vil`)
export const BALANCE_NOUNS = words('balance balances saldo saldoen saldoene saldoane')
/** Ask for a balance only where nothing else is named: "how much is my invoice". */
export const AMOUNT_NOUNS = words('funds money pengar penger much mye mykje')
/** Norwegian compounds count: "strømregningen". */
export const isInvoiceNoun = (word: string): boolean =>
  /^(?:invoices?|bills?)$|faktura|(?:regning|rekning)(?:en|a|er|ene|ane)?$/.test(word)
export const PROFILE_NOUNS = words(`profile profiles profil profilen profilar address adresse adressen adressa
  telefonnummer telefonnummeret mobilnummer mobilnummeret kontaktinfo kontaktinformasjon`)

export const SAVINGS = words('savings saving sparekonto sparekontoen sparing sparepengene sparepenger sparekontoa')
export const CHECKING = words(`checking chequing current brukskonto brukskontoen brukskontoa lønnskonto lønnskontoen
  lønskonto lønskontoen`)
export const JOINT = words('joint shared felleskonto felleskontoen fellesskontoen felles fellesen')
export const CLOSED = words('closed stengte stengt avsluttede avsluttet lukkede oppsagte avslutta')
export const ALL_ACCOUNTS = words('accounts kontoene kontoer kontoar kontoane')

export const MINE = words('my mine our min mi mitt våre vår')
export const ME = words('me myself meg')
export const THEIRS = words('her his their hers theirs hennes hans hennar deres hans')
export const IT = words('it there that den denne derfra dit det')

export const FROM = words('from fra frå')
export const TO = words('to til')
export const INTO = words('into onto in på i inn')
export const JOINERS = words('and og then så deretter also plus samt også')
export const EVERYTHING = words('everything all alt alle hele heile')
export const SAME = words('same samme')

export const CURRENCIES: ReadonlyMap<string, string> = new Map([
  ...['nok', 'kr', 'kroner', 'krone', 'kronor'].map((word) => [word, 'NOK'] as const),
  ...['usd', '$', 'dollar', 'dollars'].map((word) => [word, 'USD'] as const),
  ...['eur', '€', 'euro', 'euros'].map((word) => [word, 'EUR'] as const),
  ...['gbp', '£', 'pounds', 'pund'].map((word) => [word, 'GBP'] as const),
  ['sek', 'SEK'],
  ['dkk', 'DKK'],
])

/** Words that make a text Norwegian rather than English. */
export const NORWEGIAN =
  words(`og jeg eg min mi mitt hva kva vis saldo saldoen konto kontoen på fra frå til overfør betal
  hvor kor mye mykje takk hei er ikke ikkje det som kan du sparekonto sparekontoen brukskonto brukskontoen faktura fakturaen
  profilen flytt gi gje kjør les hent samme vil ja nei hjelp god dag morgen felleskontoen felleskonto`)
export const ENGLISH =
  words(`and i my what show balance account the from to move transfer pay how much thanks hello hi is not
  it that can you savings checking invoice profile run read fetch same yes no help good morning joint for of me a`)

/** Words that say nothing about what is asked; a message of these and an account is asked about the account. */
export const FILLERS =
  words(`please about the and og for of what how whats what's hva kva med vær så snill er ser account
  konto kontoen on now nå no then da you can could would kan du i to a so just hi hei hello`)

/** The bank's customers by the names that people use. Other first names are ids in lower case. */
export const PEOPLE: ReadonlyMap<string, string> = new Map([
  ['alice', 'alice'],
  ['bob', 'bob'],
  ['carol', 'carol'],
])
export const PAYEES: readonly (readonly [name: RegExp, account: string])[] = [
  [/^oslo bolig\b/, 'ext-oslo-bolig'],
  [/^nordlys(?: kraft)?\b/, 'ext-nordlys-kraft'],
]

/** Words between "I am" and a name in a claim: "I am actually the husband of Alice". */
export const CLAIM_FILLERS = words(`actually really in fact now also still just the a your customer user mr mrs ms owner
  husband wife spouse partner son daughter mother father brother sister lawyer guardian assistant secretary accountant of to
  for behalf on acting egentlig eigentleg faktisk jo nå no bare berre kunden brukeren mannen mann kona kone kjæresten
  samboeren ektemannen ektefellen moren mora faren sønnen datteren broren søsteren til på vegne av`)
