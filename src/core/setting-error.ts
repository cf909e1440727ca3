/** Something that a person set is wrong: an argument, a setting, a file. Ends the program with exit code 2. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
  /** The setting, argument or file. */
  readonly what: string
  /** What is wrong with it. */
  readonly problem: string
  /** What to do next. */
  readonly fix: string

  constructor(what: string, problem: string, fix: string) {
    super(`${what}: ${problem}. ${fix}`)
    this.what = what
    this.problem = problem
    this.fix = fix
  }
}
