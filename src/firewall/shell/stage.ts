/** Where a command's input comes from or its output goes, in the order in which a shell sets them up. */
export type Redirect =
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'write'; readonly descriptor: 1 | 2; readonly append: boolean; readonly path: string }
  /** `</dev/null`: an empty input. */
  | { readonly kind: 'empty' }
  /** `>/dev/null`: thrown away without opening any file. */
  | { readonly kind: 'discard'; readonly descriptor: 1 | 2 }
  /** `2>&1`: the descriptor goes where another one goes. */
  | { readonly kind: 'join'; readonly descriptor: 1 | 2; readonly into: 1 | 2 }

/** How a command hangs on the one before it; a line's first has `;`. */
export type Joint = '|' | '&&' | '||' | ';'

/** One simple command of a line. */
export interface Stage {
  readonly joint: Joint
  readonly argv: readonly string[]
  readonly redirects: readonly Redirect[]
}

/** A command as it is spelled: some of its words may be patterns, by their place. */
export interface SpelledStage extends Stage {
  /** Words that a shell replaces by names of files. */
  readonly expands: readonly number[]
  /** Words that it may replace, with the same meaning. */
  readonly keeps: readonly number[]
}
