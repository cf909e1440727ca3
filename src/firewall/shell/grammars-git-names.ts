import type { Grammar } from './grammar.ts'

const WHEN = ['always', 'auto', 'never'] as const

/** Which branches or tags to list, and how. */
const REF_FILTERS = {
  contains: 'text',
  'no-contains': 'text',
  merged: 'text',
  'no-merged': 'text',
  'points-at': 'text',
  sort: 'format',
  format: 'format',
} as const

/** git's subcommands that show names only: of branches, tags, files, revisions. */
export const GIT_NAME_GRAMMARS: Readonly<Record<string, Grammar>> = {
  // A bare word would make a branch; -l did so before git 2.19.
  branch: {
    flags: 'arv',
    longFlags: ['all', 'remotes', 'list', 'show-current', 'verbose', 'no-color', 'no-column', 'ignore-case'],
    longValues: REF_FILTERS,
    longOptional: { color: WHEN, column: 'text', abbrev: 'number' },
    operands: 'text',
    operandsNeed: ['--list'],
    ownParser: true,
  },
  'rev-parse': {
    flags: 'q',
    longFlags: [
      'verify',
      'quiet',
      'symbolic',
      'symbolic-full-name',
      'show-toplevel',
      'show-prefix',
      'show-cdup',
      'is-inside-work-tree',
      'is-inside-git-dir',
      'is-bare-repository',
      'git-dir',
      'absolute-git-dir',
      'git-common-dir',
    ],
    longOptional: { short: 'number', 'abbrev-ref': ['strict', 'loose'] },
    operands: 'revisions',
    ownParser: true,
  },
  // Not -s: it prints the ids by which `git show` would print any file.
  'ls-files': {
    flags: 'cdmoztuv',
    longFlags: [
      'cached',
      'deleted',
      'modified',
      'others',
      'directory',
      'no-empty-directory',
      'unmerged',
      'killed',
      'exclude-standard',
      'error-unmatch',
      'full-name',
      'deduplicate',
    ],
    operands: 'paths',
    ownParser: true,
  },
  remote: { flags: 'v', longFlags: ['verbose'], operands: 'none', ownParser: true },
  // A bare word would make a tag.
  tag: {
    flags: 'li',
    optional: { n: 'number' },
    longFlags: ['list', 'no-color', 'no-column', 'ignore-case'],
    longValues: REF_FILTERS,
    longOptional: { color: WHEN, column: 'text' },
    operands: 'text',
    operandsNeed: ['-l', '--list'],
    ownParser: true,
  },
  describe: {
    longFlags: ['all', 'tags', 'contains', 'always', 'long', 'exact-match', 'first-parent', 'dirty'],
    longValues: { candidates: 'number', match: 'glob', exclude: 'glob' },
    longOptional: { abbrev: 'number' },
    operands: 'revisions',
    ownParser: true,
  },
  reflog: {
    flags: 'i',
    values: { n: 'number' },
    longFlags: ['oneline', 'all', 'no-abbrev-commit', 'relative-date'],
    longValues: { 'max-count': 'number', skip: 'number', since: 'text', until: 'text', date: 'text', format: 'format' },
    longOptional: { pretty: 'format' },
    dashNumber: true,
    operands: 'text',
    most: 1,
    each: /^show$/,
    ownParser: true,
  },
  stash: {
    longFlags: ['oneline'],
    values: { n: 'number' },
    dashNumber: true,
    operands: 'text',
    least: 1,
    most: 1,
    each: /^list$/,
    ownParser: true,
  },
  shortlog: {
    flags: 'snec',
    longFlags: ['numbered', 'summary', 'email', 'committer', 'all', 'no-merges', 'merges', 'first-parent'],
    longValues: { since: 'text', after: 'text', until: 'text', before: 'text', author: 'pattern', group: 'format' },
    operands: 'revisions',
    ownParser: true,
  },
  // Names only: an id is what `git show` needs to print any file.
  'ls-tree': {
    flags: 'drtz',
    longFlags: ['name-only', 'name-status', 'full-name', 'full-tree'],
    operands: 'revisions',
    needs: ['--name-only', '--name-status'],
    ownParser: true,
  },
  version: { longFlags: ['build-options'], operands: 'none', ownParser: true },
}
