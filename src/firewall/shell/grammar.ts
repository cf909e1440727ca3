/**
 * What the value of an option is. `number`: a count with an optional sign and unit. `pattern`, `text`: prose that no program
 * opens. `patterns`: a file with patterns, which takes the place of the first operand. A list: exactly these words, because
 * GNU programs take any unambiguous start of a value (`rec` for `recurse`).
 */
export type ValueRule =
  'number' | 'text' | 'pattern' | 'glob' | 'file' | 'patterns' | 'script' | 'format' | readonly string[]

/** How far below its operands a program looks. */
export interface WalkRule {
  /** Without any of the options: undefined when it does not look below at all, else how many levels. */
  readonly base?: number
  /** Options that make it look at everything below, as `-R`, `--recursive` or `-d=recurse`. */
  readonly deep?: readonly string[]
  /** Options that keep it at its operands. */
  readonly shallow?: readonly string[]
  /** True when it starts at the current folder if it is given no file. */
  readonly here?: true
}

/** The closed grammar of one program or of one subcommand: what is not in it is refused. Spec: section 2.3. */
export interface Grammar {
  /** Options without a value, one letter each. */
  readonly flags?: string
  /** Options with a value, attached or in the next word. */
  readonly values?: Readonly<Record<string, ValueRule>>
  /** Options whose value, if any, is attached. */
  readonly optional?: Readonly<Record<string, ValueRule>>
  readonly longFlags?: readonly string[]
  readonly longValues?: Readonly<Record<string, ValueRule>>
  /** Options whose value, if any, follows `=`; they never take the next word. */
  readonly longOptional?: Readonly<Record<string, ValueRule>>
  /** `-5` is an option. */
  readonly dashNumber?: true
  /** What the words beside the options are; `pattern` and `script`: the first one is, the others are files. */
  readonly operands: 'files' | 'text' | 'pattern' | 'script' | 'revisions' | 'paths' | 'none'
  readonly most?: number
  /** One of these options must be there for the program to have operands. */
  readonly operandsNeed?: readonly string[]
  /** One of these options must be there. */
  readonly needs?: readonly string[]
  readonly walk?: WalkRule
  /** True for a program with its own option parser, which POSIXLY_CORRECT does not change. */
  readonly ownParser?: true
  /** Why a person is asked although the program is granted. */
  readonly asks?: string
}

/** A folder or file that a program looks below. */
export interface WalkRoot {
  readonly path: string
  /** Levels below; 0 is the root itself. */
  readonly depth: number
}

/** What a grammar says about the words of one command. */
export interface Reading {
  /** Words that the program opens, the roots of its walks among them. */
  readonly files: readonly string[]
  /** Words that it opens when the environment stops options after operands, or that may be files as well. */
  readonly doubtful: readonly string[]
  /** Patterns over files of a repository. */
  readonly globs: readonly string[]
  readonly roots: readonly WalkRoot[]
  /** The options that are there, as `-r`, `--recursive` and `-d=recurse`. */
  readonly options: ReadonlySet<string>
  /** The first thing that is not in the grammar. */
  readonly fault: string | undefined
  readonly asks: string | undefined
}
