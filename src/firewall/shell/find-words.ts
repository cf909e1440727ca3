/** Predicates without a value. */
export const BARE: ReadonlySet<string> = new Set([
  ...['-empty', '-readable', '-writable', '-executable', '-true', '-false', '-nouser', '-nogroup', '-depth', '-xdev'],
  ...[
    '-mount',
    '-noleaf',
    '-daystart',
    '-follow',
    '-ignore_readdir_race',
    '-noignore_readdir_race',
    '-print',
    '-print0',
  ],
  ...['-ls', '-prune', '-quit', '-not', '-a', '-and', '-o', '-or', '!', '(', ')', ','],
])
