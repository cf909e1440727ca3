/** Function words of English, bokmål and nynorsk, as data. Lower case; apostrophes are straight. */

/** A word of a list, empty beyond its ends. */
export const wordAt = (words: readonly string[], at: number): string => words[at] ?? ''

const set = (...lists: readonly string[]): ReadonlySet<string> => new Set(lists.flatMap((list) => list.split(' ')))

/** Words before an order that add nothing to it. */
export const FILLERS = set(
  'please pls plz kindly just hi hello hey now also so ok okay then first firstly second secondly third finally lastly next afterwards well right thanks thank thx tnx ty cheers dear assistant yes sure',
  'actually simply quickly again instead',
  'vennligst vennlegst venligst hei hallo heisann bare berre nå så først fyrst deretter etterpå dernest gjerne takk også òg ogso ja jo da greit altså',
)
/** Fillers that only stand before an order. */
export const POLITE = set('please pls plz kindly vennligst vennlegst venligst')
/** A refusal of what was said before, when an order follows: "no, pay Bob instead". */
export const NO_THEN = set('no nei nope')

/** A heading before a colon that leaves what follows the user's own. */
export const LABELS = set(
  'check security task request question todo please order instruction hi hello hey reminder hei oppgave oppgåve spørsmål ønske ordre hallo sikkerhetssjekk sjekk',
)
/** "Ticket 4711: …": alone before a colon it numbers the user's own request. */
export const TICKETS = set('ticket sak')
/** A value follows the colon, and it is the user's. */
export const ARGUMENT_LABELS = set(
  'recipient payee amount sum to from iban password phone address name date number id reference kid',
  'mottaker mottakar beløp beløpet til fra frå passord passordet telefon telefonnummer adresse adressen adressa navn namn dato nummer referanse',
)
/** What follows the colon is somebody else's text. */
export const PASTE_CUES = set(
  'here below following follows says say said saying asks asked told tells wrote writes write written reads message messages mail email e-mail text texted note notes memo letter this that it these got get received receive invoice bill pasted paste content contents output result results quote quoted attached attachment document file page website article summarize summarise translate explain chat conversation',
  'her under følgende følgjande sier sa seier seie står stod skrev skriver skreiv skriv melding meldingen meldinga epost e-post eposten sms tekst teksten notat notatet memoet brev brevet dette det denne disse desse fikk fekk mottok faktura fakturaen regning regningen rekning rekninga innhold innhald resultat sitat vedlegg vedlagt dokument fil filen fila side oppsummer oversett omset forklar samtale',
)

/** Turn the verb behind them into something forbidden. */
export const NEGATIONS = set(
  "don't dont not never cannot can't cant mustn't shouldn't won't wouldn't avoid refrain without neither nor",
  'ikke ikkje aldri uten utan unngå',
)
/** About the past: they report and forbid nothing. */
export const REPORTED_NEGATIONS = set(
  "didn't didnt doesn't doesnt haven't havent hasn't hasnt hadn't wasn't isn't aren't weren't couldn't",
)
/** A stop without a verb: "no, wait". */
export const STOPS = set(
  'stop wait cancel abort no nope nevermind nei stopp stans vent avbryt glem gløym angrer angrar',
)

/** Begin a condition or a time to come. */
export const CONDITIONALS = set(
  'if unless when whenever once provided assuming until till whether hvis dersom viss om når såfremt såframt inntil medmindre forutsatt',
)
/** Make what they stand beside a mere thought. */
export const HYPOTHETICALS = set(
  'suppose imagine hypothetically maybe perhaps would could might pretend kanskje kanhende tenk ville kunne hypotetisk antakelig',
)
/** Open a question. */
export const QUESTIONS = set(
  "what what's whats how how's who who's whom whose which why where where's when is are was were am do does did has have had should shall may must can",
  'hva hvor hvordan hvem hvilken hvilke hvilket hvorfor når kva kor korleis kven kven kvifor ka ke åssen er var har hadde kan skal må bør får finnes finst fins blir ble vart',
)
/** With a subject behind them they ask; with "you" behind them they ask for something, see the openings. */
export const MODALS = set(
  'should must can could would will shall may might to do does did ought have has skal må bør kan kunne ville vil skulle får å',
)

/** Where one wish ends and the next may begin. */
export const CONNECTORS = set('and then but or plus og så men eller samt & deretter etterpå')
/** Keep a forbidden scope open. */
export const JOINING = set('and or og eller nor')

/** A message of these words alone may answer the assistant. */
export const AFFIRMATIONS = set(
  "yes yeah yep yup ok okay sure please do that it go ahead confirm confirmed correct right exactly agreed proceed fine good great sounds thanks thank you approve approved continue let's yes! absolutely course of this",
  'ja jo jepp jada greit gjør det gjer kjør på fortsett bekreft bekrefter bekreftet riktig stemmer ja! flott fint bra takk godkjent godkjenn køyr gå videre vidare kjempebra dette den gjerne',
)
/** At least one of these makes the rest an answer. */
export const YES = set(
  'yes yeah yep yup ok okay sure confirm confirmed proceed approve approved go exactly absolutely agreed fine correct ja jo jepp jada greit kjør køyr bekreft bekrefter fortsett godkjent godkjenn stemmer do gjør gjer',
)

/** What stands behind a preposition: where to, where from, what for, into what, by what means. */
export type Slot = 'to' | 'from' | 'for' | 'in' | 'with'

/** What a preposition says about the value behind it. */
export const PREPOSITIONS: Readonly<Record<string, Slot>> = {
  to: 'to',
  til: 'to',
  towards: 'to',
  into: 'in',
  in: 'in',
  onto: 'in',
  på: 'in',
  inn: 'in',
  from: 'from',
  fra: 'from',
  frå: 'from',
  out: 'from',
  using: 'from',
  for: 'for',
  as: 'for',
  because: 'for',
  regarding: 'for',
  about: 'for',
  som: 'for',
  fordi: 'for',
  angående: 'for',
  with: 'with',
  via: 'with',
  med: 'with',
}

/** Stand between a preposition and its value and change neither. */
export const TRANSPARENT = set(
  'the a an my our own of saved new usual payee recipient customer account',
  'min mi mitt mine vår vårt våre den det de dei en ei et ein eit egen eigen egne lagret lagra ny nye nytt mottaker mottakeren mottakar kunde konto kontoen av over opp ut',
)
/** What a text is translated into. */
export const LANGUAGES = set('english norwegian engelsk norsk bokmål nynorsk')
/** The user. */
export const ME = set('me myself us meg oss')
/** Somebody who was spoken of. */
export const THEM = set('them him her dem ham han henne ho dei')
/** The thing that was spoken of. */
export const ANAPHORA = set(
  'it that this these those them accordingly den det denne dette disse desse dem dei tilsvarende tilsvarande deretter',
)
/** A share of something, or a quantity that nobody wrote down. */
export const VAGUE_AMOUNTS = set(
  'all everything half rest remaining remainder difference some whatever several few third quarter double most percent minus plus deducting deducted equivalent',
  'alt alle halvparten halve resten differansen forskjellen skilnaden noe noko litt prosent mesteparten dobbelt overskytende pluss fratrekk fratrukket',
)
/** Before or behind an amount: a limit, not an amount. */
export const APPROXIMATE = set(
  'about around approximately roughly up least most maximum max minimum min almost nearly over under between more less than circa ca',
  'omtrent rundt cirka ca. minst maks maksimalt høyst høgst inntil opptil nesten mellom mer meir mindre enn',
)
/** More than one effect, or one for each. */
export const REPEATED = set(
  'twice thrice times each every monthly weekly daily yearly per recurring both everyone hver hvert kvar kvart månedlig månadleg ukentlig ganger gonger begge daglig årlig',
)
/** Person nouns and the like: an argument that names nobody in the subject's own data. */
export const DOCUMENTS = set(
  'invoice invoices bill bills statement statements balance balances list history profile report details summary copy transactions transaction information info data receipt receipts overview file',
  'faktura fakturaen fakturaer fakturaene regning regningen rekning rekninga saldo saldoen kontoutskrift oversikt historikk profil profilen rapport detaljer transaksjoner transaksjonar kvittering data kopi opplysninger',
)
/** Say that what is sent or moved is money. */
export const MONEY_WORDS = set(
  'money payment payments cash funds difference amount share rent refund fee dues bill invoice debt price sum',
  'penger pengene pengar pengane betaling betalingen betalinga beløp beløpet differansen husleie husleien husleige leie leien husleia andel gjeld kontanter faktura fakturaen regning regningen rekning rekninga summen avgift overføring overføringen innbetaling utbetaling',
)
/** What a payment order of a plan or a standing order is about: it needs an amount, not a text. */
export const PAYMENT_WORDS = set(
  'payment payments transaction transactions order orders transfer transfers rent subscription debit amount autogiro avtalegiro betaling betalingen betalinga overføring overføringen husleie husleien husleia leie leien trekk trekket oppdrag beløp beløpet abonnement overføringa betalinger',
)
/** Say that somebody is let in. */
export const ACCESS_WORDS = set(
  'access ownership authority attorney permission rights co-owner tilgang fullmakt eierskap eigarskap rettigheter rettar disposisjonsrett',
)
/** The role that a sentence such as "the recipient is …" gives a value for. */
export const ROLE_NOUNS: Readonly<Record<string, 'payee' | 'amount'>> = {
  recipient: 'payee',
  payee: 'payee',
  account: 'payee',
  iban: 'payee',
  mottaker: 'payee',
  mottakeren: 'payee',
  mottakar: 'payee',
  mottakaren: 'payee',
  kontonummeret: 'payee',
  kontonummer: 'payee',
  kontoen: 'payee',
  amount: 'amount',
  rent: 'amount',
  price: 'amount',
  sum: 'amount',
  total: 'amount',
  beløpet: 'amount',
  summen: 'amount',
  prisen: 'amount',
  leien: 'amount',
  husleien: 'amount',
  leia: 'amount',
  husleia: 'amount',
}
/** Between a role and its value: "the recipient is acc-1". */
export const IS = set('is er equals blir becomes')

/** Further words of ordinary messages: known, so that a message made of them counts as parsed whole. */
export const COMMON = set(
  'i you we he she they it its me my mine our your his their there here who of at by on off up down over out as be been being will shall this that these those much many more most total today tomorrow yesterday month week year last latest newest recent next current previous old new number now soon asap immediately back only too very good great due date amount money kroner payment payments dinner lunch rent food gift share ticket tickets groceries birthday one thing things anything something nothing transaction transactions spending spent history account accounts information info details settings time urgent urgently later tonight friend friends landlord yesterday morning evening afternoon help able possible bank anybody anyone everything exactly precisely only covered bought lent helped drove cooked organised organized arranged ordered subject reference kid note message password address phone email name standing order orders recurring scheduled card limit called said was were did had just got moved think know want need like owe owed owes borrowed needs yet go any memo wondering',
  'jeg eg du vi dere de dei han hun ho det den dette meg deg seg oss min mi mitt mine din ditt vår av ved om over under opp ned ut inn være vere vært skal vil mye mykje mange mer flest totalt idag imorgen igår måned måneden månad uke uka år året siste nyeste nyaste forrige førre neste nåværende gammel ny nummer snart straks tilbake bare berre også for god bra forfall forfallsdato beløp beløpet penger pengar kroner betaling betalinger middag lunsj husleie mat gave billett ting noe noko ingenting transaksjon transaksjoner transaksjonar forbruk historikk konto kontoer kontoar informasjon opplysninger innstillinger tid haster hjelp bank venn vennen vennar husvert huseier noen nokon alt kun nøyaktig akkurat nettopp heller heldan snill grei kjøpte dekket dekka ordnet ordna hjalp lånte emne melding passord passordet adresse adressen adressa telefon telefonnummer telefonnummeret kortet epost navn namn fast oppdrag trekk kort grense var ble har hadde på i som at slik her der å etter før brukt bruker brukte nå no sist lurer forfaller forfell trenger treng ennå enda enno',
)
