import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fc, test } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoWorkspace, type Workspace } from '../workspace.ts'
import { judged, verdict } from './bench.ts'

const GRANTED = ['ls', 'cat', 'grep', 'head', 'wc', 'find', 'pwd', 'sort', 'uniq', 'diff', 'sed', 'echo', 'git', 'true']

let space: Workspace
beforeAll(() => {
  space = demoWorkspace({
    shell_allowlist: GRANTED,
    shell_ask: ['npm', 'tee'],
    shell_forbidden_args: {},
    protected_names: ['*.pem'],
    writable_dirs: ['normal'],
  })
  for (const name of ['src/a.ts', 'src/b.ts', 'src/sub/c.ts', 'certs/a.txt', 'certs/server.pem', '.hidden']) {
    space.write(name, `${name}\n`)
  }
  space.write('s.sed', 'w normal/x\n')
  space.link('linked', 'src')
  space.link('src/out', '../..')
  space.link('certs/key.txt', 'server.pem')
})
afterAll(() => {
  space.cleanup()
})

describe('cd at the start of a line', () => {
  it.each([
    ['cd src && ls', 'allow sh-ok'],
    ['cd ./src && cat a.ts | wc -l', 'allow sh-ok'],
    ['cd src/sub && cat ../a.ts', 'allow sh-ok'],
    ['cd linked && cat a.ts', 'allow sh-ok'],
    ["cd 'src' && ls", 'allow sh-ok'],
    ['cd . && ls', 'allow sh-ok'],
    ['cd src && npm test', 'require_approval sh-ask'],
    ['cd src && ls; pwd', 'allow sh-ok'],
    ['cd src && cat none || echo none', 'allow sh-ok'],
    ['cd normal && echo a > b.txt', 'allow sh-ok'],
    ['cd src && echo a > b.txt', 'require_approval fs-write-scope'],
    ['cd src && echo a > ../normal/b.txt', 'allow sh-ok'],
    ['cd src && grep -rn x sub', 'allow sh-ok'],
    ['cd certs && cat a.txt', 'allow sh-ok'],
    ['cd src && cat ../.env', 'block sh-paths +T'],
    ['cd certs && cat server.pem', 'block sh-paths +T'],
    ['cd certs && cat key.txt', 'block sh-paths +T'],
    ['cd src && cat out/x', 'block sh-paths'],
    ['cd src && ls | tee ../../x', 'block sh-paths'],
    ['cd src && rm a.ts', 'block sh-allowlist'],
    // What runs although cd failed would find another file.
    ['cd src && ls || cat .env', 'block sh-paths +T'],
    ['cd src && ls; cat .env', 'block sh-paths +T'],
    ['cd src && ls; cat ./*.ts', 'block sh-syntax'],
    ['cd canary && ls', 'allow sh-ok'],
    ['cd .. && ls', 'block sh-allowlist'],
    ['cd src/.. && ls', 'block sh-allowlist'],
    ['cd linked/../.. && ls', 'block sh-allowlist'],
    ['cd src; ls', 'block sh-allowlist'],
    ['cd src || ls', 'block sh-allowlist'],
    ['cd src | ls', 'block sh-allowlist'],
    ['cd src', 'block sh-allowlist'],
    ['cd && ls', 'block sh-allowlist'],
    ['cd - && ls', 'block sh-allowlist'],
    ['cd -P src && ls', 'block sh-allowlist'],
    ["cd '' && ls", 'block sh-allowlist'],
    ["cd '~' && ls", 'block sh-allowlist'],
    ['cd +1 && ls', 'block sh-allowlist'],
    ['cd %1 && ls', 'block sh-allowlist'],
    ['cd src sub && ls', 'block sh-allowlist'],
    ['cd src > normal/x && ls', 'block sh-allowlist'],
    ['cd src && cd sub && ls', 'block sh-allowlist'],
    ['true && cd src && ls', 'block sh-allowlist'],
    ['cd s* && ls', 'block sh-allowlist'],
    ['cd ~ && ls', 'block sh-syntax'],
    ['cd $HOME && ls', 'block sh-syntax'],
    ['cd /etc && ls', 'block fs-sandbox'],
    ['cd src/out && ls', 'block fs-sandbox'],
    ['cd src/a.ts && ls', 'block fs-sandbox'],
    ['cd none && ls', 'block fs-sandbox'],
    ['cd fake_credentials.txt && ls', 'block fs-protected +T'],
  ])('%j -> %s', (line, expected) => {
    expect(verdict(judged(line, space))).toBe(expected)
  })

  it('is not there for words without a shell', () => {
    expect(verdict(judged(['cd', 'src', '&&', 'ls'], space))).toBe('block sh-allowlist')
  })

  it('is gone from what runs, which starts in the folder', () => {
    const { stages, cwd, normalized } = judged('cd src && cat a.ts', space)
    expect({ stages, cwd }).toEqual({
      stages: [{ joint: ';', argv: ['cat', 'a.ts'], redirects: [] }],
      cwd: join(space.root, 'src'),
    })
    expect(normalized).toEqual({ binary: 'cat', args: ['a.ts'], cwd: join(space.root, 'src') })
  })

  it('says how to write it', () => {
    expect(judged('cd src; ls', space).outcome.hint).toContain('cd src && ls')
  })
})

describe('a pattern over files', () => {
  it.each([
    ['ls src/*.ts', 'allow sh-ok'],
    ['wc -l src/*.ts src/sub/?.ts', 'allow sh-ok'],
    ['cat src/a*', 'allow sh-ok'],
    ["grep -n 'x' src/*.ts", 'allow sh-ok'],
    ['sed -n 1p src/*.ts', 'allow sh-ok'],
    ['cd src && cat ./*.ts', 'allow sh-ok'],
    ['ls none/*', 'allow sh-ok'],
    ['ls src/*.rs', 'allow sh-ok'],
    ['cat certs/a*', 'allow sh-ok'],
    ['npm run x src/*.ts', 'require_approval sh-ask'],
    ['cat certs/*', 'block sh-syntax'],
    ['ls certs/*.p*', 'block sh-syntax'],
    ['cat certs/k*', 'block sh-syntax'],
    ['cat ./*', 'block sh-syntax'],
    ['cat f*', 'block sh-syntax'],
    ['cat ./.e*', 'block sh-syntax'],
    ['cat ../*', 'block sh-syntax'],
    ['ls src/*', 'block sh-syntax'],
    ['uniq src/*.ts', 'block sh-syntax'],
    ['sort src/a.ts | uniq src/*.ts', 'block sh-syntax'],
    ['sed -n ./*.sed src/a.ts', 'block sh-syntax'],
    ['grep src/*.ts', 'block sh-syntax'],
    ['grep -e src/*.ts src/a.ts', 'block sh-syntax'],
    ['sed -e src/*.ts src/a.ts src/b.ts', 'block sh-syntax'],
    ['echo src/*.ts', 'block sh-syntax'],
    ['head -n src/*.ts', 'block sh-syntax'],
  ])('%j -> %s', (line, expected) => {
    expect(verdict(judged(line, space))).toBe(expected)
  })

  it('is replaced in what runs', () => {
    expect(judged('wc -l src/*.ts', space).stages).toEqual([
      { joint: ';', argv: ['wc', '-l', 'src/a.ts', 'src/b.ts'], redirects: [] },
    ])
  })

  it('is plain text for a program that no shell starts', () => {
    expect(judged(['ls', 'src/*.ts'], space).stages).toEqual([{ joint: ';', argv: ['ls', 'src/*.ts'], redirects: [] }])
  })

  it('says how to write it', () => {
    expect(judged('cat *', space).outcome.hint).toContain('src/*.ts')
    expect(judged('cat certs/*', space).outcome.hint).toContain('src/*.ts')
  })
})

describe('against a real bash', () => {
  const folder = fc.constantFrom(
    'src',
    './src',
    'src/sub',
    'linked',
    '.',
    '..',
    'certs',
    'canary',
    'none',
    'src/out',
    '',
  )
  const word = fc.constantFrom(
    ...['a.ts', '*.ts', './*', './*.ts', 'a*', '../.env', '.env', '.e*', '../*', 'sub/*', 'out/*', 'server.pem'],
    ...['../canary/*', '../certs/*', '../certs/a*', 'src/*', '../../*', 'f*', './f*', './*.txt', 'certs/*', 'linked/*'],
  )
  const joint = fc.constantFrom('&&', ';', '||')
  const SECRETS = /sk-demo|not-a-real-password|server\.pem\n|outside-secret/

  // The words of a line that may run: what it prints holds nothing that is protected or outside.
  test.prop(
    [
      fc.array(fc.tuple(folder, joint, fc.array(word, { minLength: 1, maxLength: 2 }), joint, word), {
        minLength: 60,
        maxLength: 60,
      }),
    ],
    {
      numRuns: 5,
    },
  )('no line that may run shows a protected file, whatever folder it goes to', (drafts) => {
    space.write('../outside/secret.txt', 'outside-secret\n')
    const lines = drafts
      .map(([to, first, words, second, last]) => `cd ${to} ${first} cat ${words.join(' ')} ${second} cat ${last}`)
      .filter((line) => judged(line, space).outcome.decision === 'allow')
    const { stdout } = spawnSync(
      '/bin/bash',
      ['--norc', '--noprofile', '-c', lines.map((line) => `(${line})`).join('\n')],
      {
        cwd: space.root,
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
        encoding: 'utf8',
      },
    )
    expect(stdout).not.toMatch(SECRETS)
  })
})
