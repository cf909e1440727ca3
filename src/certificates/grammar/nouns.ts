/** A noun for records of a type: "my invoice", "kontoene". */
export interface TypeNoun {
  /** Lower-case name of the resource type. */
  readonly type: string
  readonly plural: boolean
  /** It asks for what every record of the type has, so it stands for all of them. */
  readonly forAll: boolean
}

interface NounRow {
  readonly type: string
  readonly one: string
  readonly many: string
  readonly forAll?: string
}

const ROWS: readonly NounRow[] = [
  {
    type: 'invoice',
    one: 'invoice bill faktura fakturaen fakturaa regning regningen regninga rekning rekninga',
    many: 'invoices bills fakturaer fakturaene fakturaar fakturaane regninger regningene rekningar rekningane',
  },
  {
    type: 'account',
    one: 'account konto kontoen',
    many: 'accounts konti kontoer kontoene kontoar kontoane',
    forAll: 'balance balances saldo saldoen saldoer saldoane saldoene',
  },
  {
    type: 'customer',
    one: 'profile profil profilen kundeprofil kundeprofilen customer',
    many: 'profiles profiler profilar',
  },
  { type: 'file', one: 'file fil filen fila dokument dokumentet', many: 'files filer filene filar' },
  {
    type: 'transaction',
    one: 'transaction transaksjon transaksjonen',
    many: 'transactions transaksjoner transaksjonene transaksjonar transaksjonane',
  },
]

const BY_WORD: ReadonlyMap<string, TypeNoun> = new Map(
  ROWS.flatMap(({ type, one, many, forAll = '' }): (readonly [string, TypeNoun])[] => [
    ...one.split(' ').map((word) => [word, { type, plural: false, forAll: false }] as const),
    ...many.split(' ').map((word) => [word, { type, plural: true, forAll: true }] as const),
    ...forAll
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => [word, { type, plural: false, forAll: true }] as const),
  ]),
)

/** The kind of record that a word is the noun of. */
export const nounOf = (word: string): TypeNoun | undefined => BY_WORD.get(word)

/** The noun in a Norwegian compound for a bill, and what it is a bill for: "strømregningen". */
export function compoundNoun(word: string): { readonly noun: TypeNoun; readonly kind: string } | undefined {
  const [, kind, head = ''] = /^(\p{L}{3,}?)-?((?:faktura|regning|rekning)\p{Ll}{0,4})$/u.exec(word) ?? []
  const noun = nounOf(head)
  return noun === undefined || kind === undefined ? undefined : { noun, kind }
}

/** Words for the same kind of account; a record that has one of them as a name has them all. */
export const ACCOUNT_NAMES: readonly (readonly string[])[] = [
  ['savings', 'saving', 'sparekonto', 'sparekontoen', 'sparing', 'sparepengene', 'sparekontoa'],
  [
    'checking',
    'checkings',
    'chequing',
    'current account',
    'brukskonto',
    'brukskontoen',
    'lønnskonto',
    'lønnskontoen',
    'lønskonto',
    'lønskontoen',
  ],
  ['joint', 'joint account', 'shared account', 'felleskonto', 'felleskontoen', 'fellesskonto', 'felles'],
]
