import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hardened } from '../../../src/firewall/shell/harden.ts'
import { demoWorkspace, FAKE_KEY, type Workspace } from '../workspace.ts'
import { judged, verdict } from './bench.ts'

const PROTECTED = ['.env', 'conf/prod.txt', 'conf/a[1].txt']
const SECRET = 'hidden-value-77'

let space: Workspace
let marker = ''
const git = (folder: string, ...words: readonly string[]): void => {
  execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...words], { stdio: 'ignore' })
}
beforeAll(() => {
  space = demoWorkspace({ shell_allowlist: ['git'], shell_forbidden_args: {}, protected_paths: PROTECTED })
  marker = join(space.root, 'normal/marker')
  const version = (text: string): void => {
    for (const path of ['conf/prod.txt', 'conf/a[1].txt']) space.write(path, `${SECRET} ${text}\n`)
    space.write('src/main.ts', `open ${text}\n`)
    space.write('conf/open.txt', `open conf ${text}\n`)
  }
  version('one')
  git(space.root, 'init', '-q', '-b', 'main')
  space.write('.gitattributes', '* diff=evil\n')
  git(space.root, 'add', '-A')
  git(space.root, 'commit', '-qm', 'feat: add')
  version('two')
  git(space.root, 'commit', '-qam', 'second')
  git(space.root, 'tag', 'v1.0')
  git(space.root, 'branch', 'feature')
  space.write('.env', `API_KEY=${FAKE_KEY}-new\n`)
  space.write('src/main.ts', 'open three\n')
  git(space.root, 'add', '.env')
})
afterAll(() => {
  space.cleanup()
})

/** What an executor would show of a command that may run, whatever programs the settings name by then. */
function shown(argv: readonly string[], given = space, cwd = ''): string {
  git(given.root, 'config', 'diff.evil.textconv', `touch '${marker}'; cat`)
  try {
    return shownNow(argv, given, cwd)
  } finally {
    git(given.root, 'config', '--unset', 'diff.evil.textconv')
  }
}

function shownNow(argv: readonly string[], given: Workspace, cwd: string): string {
  const {
    argv: [program = '', ...words],
    env,
  } = hardened(argv, PROTECTED)
  const run = spawnSync(program, words, { cwd: join(given.root, cwd), env, input: '', timeout: 5000, encoding: 'utf8' })
  return run.stdout + run.stderr
}

describe('a committed secret', () => {
  it.each([
    [['git', 'show', 'HEAD^{/feat: add}:.env'], 'block sh-paths +T'],
    [['git', 'show', 'HEAD@{10:00}:.env'], 'block sh-paths +T'],
    [['git', 'rev-parse', 'HEAD^{/feat: add}:.env'], 'block sh-paths +T'],
    [['git', 'show', 'HEAD^{/feat: add}'], 'block sh-args'],
    [['git', 'show', 'HEAD@{1}:.env'], 'block sh-paths +T'],
    [['git', 'show', 'HEAD^{tree}'], 'allow sh-ok'],
    [['git', 'show', 'HEAD@{0}'], 'allow sh-ok'],
    [['git', 'log', '@{u}..HEAD'], 'allow sh-ok'],
  ])('is not named behind any colon of a revision: %j -> %s', (argv, expected) => {
    expect(verdict(judged(argv, space))).toBe(expected)
  })

  it.each(['git status -v', 'git status -vv', 'git status --verbose'])('is not shown by %s', (line) => {
    expect(verdict(judged(line, space))).toBe('block sh-args')
    expect(shown(line.split(' '))).toContain(FAKE_KEY)
    rmSync(marker, { force: true })
  })

  it.each([
    'git diff HEAD~1:conf HEAD:conf',
    'git diff HEAD~1:src HEAD:conf',
    'git diff HEAD~1: HEAD:',
    'git diff HEAD~1:./ HEAD:./',
    'git grep hidden HEAD:conf',
  ])('is not shown as a file of a folder of a revision: %s', (line) => {
    expect(verdict(judged(line.split(' '), space))).toBe('block sh-args')
  })

  it.each(['git show', 'git show HEAD', 'git log -p', 'git log -p --all', 'git diff HEAD~1', 'git grep -n open'])(
    'with signs of a pattern in its path is left out of %s',
    (line) => {
      expect(verdict(judged(line, space))).toBe('allow sh-ok')
      const output = shown(line.split(' '))
      expect(output).not.toContain(SECRET)
      expect(output).toContain('open')
    },
  )

  it.each(['git grep hidden', 'git grep -i HIDDEN HEAD', 'git grep -e hidden', 'git grep --cached API_KEY'])(
    'is not found by %s',
    (line) => {
      expect(verdict(judged(line, space))).toBe('allow sh-ok')
      expect(shown(line.split(' '))).toBe('')
    },
  )

  it.each([
    ['git log -p --follow src/main.ts', 'block sh-args'],
    ['git log --follow conf', 'block sh-args'],
    ['git log --follow', 'block sh-args'],
    ['git log --follow .env', 'block sh-paths +T'],
    ['git blame .env', 'block sh-paths +T'],
    ['git blame HEAD -- .env', 'block sh-paths +T'],
    ['git blame --contents .env src/main.ts', 'block sh-paths +T'],
    ['git ls-tree -r HEAD', 'block sh-args'],
    ['git stash', 'block sh-args'],
    ['git stash pop', 'block sh-args'],
    ['git reflog expire', 'block sh-args'],
    ['git reflog -p', 'block sh-args'],
    ['git remote add x y', 'block sh-args'],
    ['git tag v2', 'block sh-args'],
    ['git tag -d v1.0', 'block sh-args'],
    ['git grep -f conf/open.txt', 'block sh-args'],
    ['git grep --no-index x', 'block sh-args'],
    ['git grep x -- .env', 'block sh-paths +T'],
    ['git grep -O x', 'block sh-args'],
  ])('is out of reach of what reads the rest: %s -> %s', (line, expected) => {
    expect(verdict(judged(line, space))).toBe(expected)
  })
})

describe('ordinary questions to a repository are answered', () => {
  it.each([
    ['git log --follow --oneline src/main.ts', 'second'],
    ['git diff HEAD~1:src/main.ts HEAD:src/main.ts', 'open two'],
    ['git diff HEAD~1:conf/open.txt HEAD:src/main.ts', 'open two'],
    ['git blame src/main.ts', 'open three'],
    ['git blame -L 1,1 HEAD -- src/main.ts', 'open two'],
    ['git tag', 'v1.0'],
    ['git tag -l', 'v1.0'],
    ["git tag --list 'v*'", 'v1.0'],
    ['git describe --tags', 'v1.0'],
    ['git reflog', 'second'],
    ['git reflog show -n 1', 'second'],
    ['git stash list', ''],
    ['git shortlog -sn HEAD', 't'],
    ['git ls-tree -r --name-only HEAD', 'src/main.ts'],
    ['git --version', 'git version'],
    ['git diff --check', ''],
    ['git show feature~1', 'feat: add'],
    ['git show v1.0^', 'feat: add'],
    ['git log HEAD~1..', 'second'],
    ['git log feature~1..main', 'second'],
    ['git grep -n open -- src', 'open three'],
    ["git grep -n open -- '*.ts'", 'open three'],
    ['git grep -e open --and -e three', 'open three'],
    ['git remote -v', ''],
    ['git remote', ''],
  ])('%s', (line, part) => {
    const { outcome, stages } = judged(line, space)
    expect([outcome.detail, outcome.decision]).toEqual(['granted', 'allow'])
    const output = shown(stages[0]?.argv ?? [])
    expect(output).not.toMatch(/fatal|usage:|error:/)
    expect(output).toContain(part)
    expect(existsSync(marker)).toBe(false)
  })
})

describe('a repository that is larger than the sandbox', () => {
  it('is not read at all when it starts above', () => {
    const own = demoWorkspace({ shell_allowlist: ['git'], shell_forbidden_args: {} })
    mkdirSync(join(own.root, '../.git'))
    for (const line of ['git show HEAD:top.txt', 'git log -p', 'git diff', 'git status']) {
      expect(verdict(judged(line, own))).toBe('block sh-args')
    }
    expect(verdict(judged('git --version', own))).toBe('allow sh-ok')
    // git looks past what only looks like a repository.
    own.write('.git/config', '')
    expect(verdict(judged('git status', own))).toBe('block sh-args')
    git(own.root, 'init', '-q')
    expect(verdict(judged('git status', own))).toBe('allow sh-ok')
    own.cleanup()
  })

  it.each([
    ['[core]\n\tworktree = /\n', 'block sh-args'],
    ['[core] WorkTree=../..\n', 'block sh-args'],
    ['[core]\n\tworktree = "../../outside"\n', 'block sh-args'],
    ['[core]\n\tworktree = ..\n', 'allow sh-ok'],
    ['[core]\n\tbare = false\n[extensions]\n\tworktreeConfig = true\n', 'allow sh-ok'],
  ])('is not read when its files are elsewhere: %j -> %s', (config, expected) => {
    const own = demoWorkspace({ shell_allowlist: ['git'], shell_forbidden_args: {} })
    own.write('.git/config', config)
    expect(verdict(judged('git diff', own))).toBe(expected)
    expect(verdict(judged('git diff', own, { cwd: 'normal' }))).toBe(expected)
    own.cleanup()
  })

  it('is not read when it is kept behind a link out of the sandbox', () => {
    const own = demoWorkspace({ shell_allowlist: ['git'], shell_forbidden_args: {} })
    own.link('.git', own.outside)
    expect(verdict(judged('git log', own))).toBe('block sh-args')
    own.cleanup()
  })
})

describe('the login in an address of the repository', () => {
  it.each([
    ['[remote "o"]\n\turl = https://git.example.com/a.git\n', 'allow sh-ok'],
    ['[remote "o"]\n\turl = git@git.example.com:a.git\n', 'allow sh-ok'],
    ['[remote "o"]\n\turl = https://me:token@git.example.com/a.git\n', 'require_approval sh-ask'],
    ['[url "https://token@git.example.com/"]\n\tinsteadOf = gh:\n', 'require_approval sh-ask'],
  ])('is not shown without a person: %j -> %s', (config, expected) => {
    const own = demoWorkspace({ shell_allowlist: ['git'], shell_forbidden_args: {} })
    own.write('.git/config', config)
    expect(verdict(judged('git remote -v', own))).toBe(expected)
    own.cleanup()
  })
})

describe('programs that only seem to read', () => {
  it.each([
    ['tail +1f normal/notes.txt', 'block sh-args'],
    ['tail -n +2 normal/notes.txt', 'allow sh-ok'],
    ['sort -S 99G normal/notes.txt', 'block sh-args'],
    ['sort --parallel=999 normal/notes.txt', 'block sh-args'],
    ['date', 'allow sh-ok'],
    ['date +%F', 'allow sh-ok'],
    ['date -u +%F', 'allow sh-ok'],
    ['date 010100002030', 'block sh-args'],
    ['date -s 2030-01-01', 'block sh-args'],
    ['date -f .env', 'block sh-args +T'],
    ['nl normal/notes.txt', 'allow sh-ok'],
    ['nl .env', 'block sh-paths +T'],
    ['md5sum normal/notes.txt', 'allow sh-ok'],
    ['md5sum -c normal/notes.txt', 'block sh-args'],
    ['realpath normal', 'allow sh-ok'],
    ['realpath .env', 'block sh-paths +T'],
    ['basename normal/notes.txt .txt', 'allow sh-ok'],
    ['dirname normal/notes.txt', 'allow sh-ok'],
    ['which node', 'allow sh-ok'],
    ['which /etc/passwd', 'block sh-args'],
    ['true', 'allow sh-ok'],
    ['false', 'allow sh-ok'],
  ])('%s -> %s', (line, expected) => {
    const programs = [
      'tail',
      'sort',
      'date',
      'nl',
      'md5sum',
      'realpath',
      'basename',
      'dirname',
      'which',
      'true',
      'false',
    ]
    expect(verdict(judged(line, space.under({ shell_allowlist: programs })))).toBe(expected)
  })
})

describe('a file that shell_exact names', () => {
  const entries = [
    ['./src/run.sh', 'a'],
    ['node', 'build.js', '--config=tools/x.json'],
    ['npm', 'test'],
  ]
  it.each([
    ['src/run.sh', true],
    ['src/RUN.sh', true],
    ['src/../src/run.sh', true],
    ['build.js', true],
    ['src/deep/build.js', true],
    ['tools/x.json', true],
    ['src/other.sh', false],
    ['src/rebuild.js', false],
  ])('is not written without a person: %s asks: %s', (path, asks) => {
    const places = space.under({ shell_exact: entries, writable_dirs: ['.'] }).places
    expect(places.locate(path, space.root)).toMatchObject({ kind: 'open', asks })
  })

  it('is not written by a redirect either', () => {
    const own = space.under({ shell_allowlist: ['echo'], shell_exact: entries, writable_dirs: ['src'] })
    expect(verdict(judged('echo x > src/run.sh', own))).toBe('require_approval fs-write-scope')
    expect(verdict(judged('echo x > src/other.sh', own))).toBe('allow sh-ok')
  })
})

describe('settings that name a program', () => {
  const own = (): Workspace => {
    const made = demoWorkspace({ shell_allowlist: ['git'], shell_forbidden_args: {} })
    git(made.root, 'init', '-q', '-b', 'main')
    return made
  }

  it.each([
    ['git status', '[core]\n\tfsmonitor = touch marker;false\n', 'require_approval sh-ask'],
    ['git status', '[core] fsmonitor = ./x\n', 'require_approval sh-ask'],
    ['git status', '[CORE]\n\tFSMonitor=./x\n', 'require_approval sh-ask'],
    ['git diff', '[diff]\n\texternal = ./x\n', 'require_approval sh-ask'],
    ['git diff', '[diff "a"]\n\ttextconv = ./x\n', 'require_approval sh-ask'],
    ['git diff', '[diff "a"]\n\tcommand = ./x\n', 'require_approval sh-ask'],
    ['git status', '[filter "a"]\n\tclean = ./x\n', 'require_approval sh-ask'],
    ['git status', '[filter "a"]\n\tprocess = ./x\n', 'require_approval sh-ask'],
    ['git log -1', '[log]\n\tshowSignature\n', 'require_approval sh-ask'],
    ['git log -1', '[core]\n\tpager = ./x\n', 'require_approval sh-ask'],
    ['git log -1', '[pager]\n\tlog = ./x\n', 'require_approval sh-ask'],
    ['git status', '[core]\n\thooksPath = hooks\n', 'require_approval sh-ask'],
    ['git status', '[include]\n\tpath = ../x\n', 'require_approval sh-ask'],
    ['git status', '[includeIf "gitdir:x"]\n\tpath = ../x\n', 'require_approval sh-ask'],
    ['git status', '[core]\n\tfsmonitor = true\n', 'allow sh-ok'],
    ['git status', '[core]\n\tfsmonitor = false\n\tbare = false\n', 'allow sh-ok'],
    ['git status', '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n', 'allow sh-ok'],
    ['git status', '[alias]\n\tst = status\n[user]\n\tname = a\n', 'allow sh-ok'],
    ['git rev-parse HEAD', '[core]\n\tfsmonitor = ./x\n', 'allow sh-ok'],
    ['git branch', '[core]\n\tfsmonitor = ./x\n', 'allow sh-ok'],
  ])('%s under %j -> %s', (line, config, expected) => {
    const made = own()
    try {
      made.write('.git/config', config)
      expect(verdict(judged(line, made))).toBe(expected)
    } finally {
      made.cleanup()
    }
  })

  it('reads the settings of the work tree, too', () => {
    const made = own()
    try {
      made.write('.git/config', '[extensions]\n\tworktreeConfig = true\n')
      made.write('.git/config.worktree', '[core]\n\tfsmonitor = ./x\n')
      expect(verdict(judged('git status', made))).toBe('require_approval sh-ask')
    } finally {
      made.cleanup()
    }
  })

  it('counts a hook that git runs when it refreshes its index', () => {
    const made = own()
    try {
      made.write('.git/hooks/pre-commit', 'x')
      expect(verdict(judged('git status', made))).toBe('allow sh-ok')
      made.write('.git/hooks/post-index-change', 'x')
      expect(verdict(judged('git status', made))).toBe('require_approval sh-ask')
    } finally {
      made.cleanup()
    }
  })
})
