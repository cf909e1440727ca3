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
  /** True when it shows names and sizes only: nothing of what is in a file. */
  readonly names?: true
  /** Options whose pattern leaves something out of the walk, by what they leave out. */
  readonly leaves?: Readonly<Partial<Record<LeavesOut, readonly string[]>>>
}

/** `others`: the option names the files that are looked at, and all other files are left out. */
export type LeavesOut = 'files' | 'folders' | 'both' | 'others'

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
  readonly operands: 'files' | 'text' | 'pattern' | 'script' | 'revisions' | 'paths' | 'none' | 'search'
  readonly least?: number
  readonly most?: number
  /** What every operand must look like. */
  readonly each?: RegExp
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
  readonly view?: WalkView
}

/** What a program makes of what it comes across. */
export interface WalkView {
  /** True when it shows names and sizes only. */
  readonly names: boolean
  /** True when it surely leaves this file out, or this folder with everything below it. */
  readonly skips: (entry: WalkEntry) => boolean
}

/** A file or folder on the way; a link is never left out. */
export interface WalkEntry {
  readonly name: string
  readonly isFolder: boolean
  /** The path as the program spells it; undefined behind a link. */
  readonly shown: string | undefined
}

/** What a grammar says about the words of one command. */
export interface Reading {
  /** Words that the program opens, the roots of its walks among them. */
  readonly files: readonly string[]
  /** Words that it opens when the environment stops options after operands, or that may be files as well. */
  readonly doubtful: readonly string[]
  /** Paths behind a revision and a colon, among the doubtful ones. */
  readonly behind: readonly string[]
  /** Patterns over files of a repository. */
  readonly globs: readonly string[]
  readonly roots: readonly WalkRoot[]
  /** The options that are there, as `-r`, `--recursive` and `-d=recurse`. */
  readonly options: ReadonlySet<string>
  /** The first thing that is not in the grammar. */
  readonly fault: string | undefined
  readonly asks: string | undefined
}
