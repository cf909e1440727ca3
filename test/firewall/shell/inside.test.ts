import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demoWorkspace, type Workspace } from '../workspace.ts'
import { judged, verdict } from './bench.ts'

const ASKED = [
  ...[
    'env',
    'nice',
    'timeout',
    'xargs',
    'nohup',
    'setsid',
    'stdbuf',
    'busybox',
    'bash',
    'sh',
    'pwsh',
    'powershell.exe',
  ],
  ...['cmd', 'sudo', 'npm', 'node', 'python3', 'tar', 'curl', 'wget', 'man', 'rg', 'fd', 'less', 'rsync', 'ssh', 'zip'],
]

let space: Workspace
beforeAll(() => {
  space = demoWorkspace({
    shell_allowlist: ['ls', 'cat', 'grep', 'find', 'wc', 'true', 'echo'],
    shell_ask: ASKED,
    shell_exact: [['env', 'CC=gcc', 'make']],
    shell_forbidden_args: {},
  })
})
afterAll(() => {
  space.cleanup()
})

describe('a program that starts another one', () => {
  it.each([
    ['timeout 5 npm test', 'require_approval sh-ask'],
    ['timeout -s KILL 5 npm test', 'require_approval sh-ask'],
    ['nice -n 5 ls', 'require_approval sh-ask'],
    ['env', 'require_approval sh-ask'],
    ['env LC_ALL=C ls', 'require_approval sh-ask'],
    ['env NO_COLOR=1 CI=1 npm test', 'require_approval sh-ask'],
    ['env nice timeout 5 npm test', 'require_approval sh-ask'],
    ["find normal -name '*.txt' | xargs wc -l", 'require_approval sh-ask'],
    ['xargs -n 1 wc', 'require_approval sh-ask'],
    ['env CC=gcc make', 'allow sh-exact'],
    ['env rm -rf normal', 'block sh-allowlist'],
    ['nice -n 5 rm x', 'block sh-allowlist'],
    ['timeout 5 rm x', 'block sh-allowlist'],
    ['timeout -s npm 5 rm x', 'block sh-allowlist'],
    ['nohup rm x', 'block sh-allowlist'],
    ['setsid -w rm x', 'block sh-allowlist'],
    ['stdbuf -o0 rm x', 'block sh-allowlist'],
    ['stdbuf -o 0 rm x', 'block sh-allowlist'],
    ['busybox rm x', 'block sh-allowlist'],
    ['ls | xargs rm', 'block sh-allowlist'],
    ['ls | xargs -I x rm x', 'block sh-allowlist'],
    ['env timeout 5 nice rm x', 'block sh-allowlist'],
    ['timeout 5 find . -delete', 'block sh-args'],
    ["timeout 5 find normal -exec rm '{}' +", 'block sh-args'],
    ['timeout 5 cat .env', 'block sh-paths +T'],
    ['env PATH=. ls', 'block sh-args'],
    ['env GIT_PAGER=x ls', 'block sh-args'],
    ["env -S 'rm x'", 'block sh-args'],
    ["env -vS 'rm x'", 'block sh-args'],
    ['env --split-string=rm', 'block sh-args'],
    ['env -C normal cat notes.txt', 'block sh-args'],
    ['env env env env env env ls', 'block sh-args'],
    ['sudo rm -rf normal', 'require_approval sh-ask'],
  ])('%j -> %s', (line, expected) => {
    expect(verdict(judged(line, space))).toBe(expected)
  })
})

describe('a shell with a text', () => {
  it.each([
    ['bash -c "ls"', 'require_approval sh-ask'],
    ["bash -c 'ls && npm test'", 'require_approval sh-ask'],
    ["bash -lc 'npm test'", 'require_approval sh-ask'],
    ["sh -c 'cat normal/notes.txt | wc -l'", 'require_approval sh-ask'],
    ['bash normal/x.sh', 'require_approval sh-ask'],
    ['bash --version', 'require_approval sh-ask'],
    ["bash -c 'rm x'", 'block sh-allowlist'],
    ["bash -o pipefail -c 'rm x'", 'block sh-allowlist'],
    ["bash -euo pipefail -c 'rm x'", 'block sh-allowlist'],
    ["bash -euo pipefail -c 'npm test'", 'require_approval sh-ask'],
    ["bash -c -- 'rm x'", 'block sh-allowlist'],
    ["bash -c 'ls; curlx y'", 'block sh-allowlist'],
    ["bash -c 'cat .env'", 'block sh-paths +T'],
    ["bash -c 'ls $(x)'", 'block sh-args'],
    ["bash -c 'ls normal/*'", 'block sh-args'],
    ["bash -c 'eval x'", 'block sh-allowlist'],
    ["bash -c 'cat normal/notes.txt | sh'", 'block sh-args'],
    ['bash -c', 'block sh-args'],
    ["busybox sh -c 'rm x'", 'block sh-allowlist'],
    ["cmd /c 'rm x'", 'block sh-paths'],
    ['cmd /C rm x', 'block sh-paths'],
    ['pwsh -Command ls', 'require_approval sh-ask'],
    ['pwsh -File x.ps1', 'require_approval sh-ask'],
    ['powershell.exe -NoProfile -Command "ssh -V"', 'require_approval sh-ask'],
    ['powershell.exe -NoProfile -Command "telnet x"', 'block sh-allowlist'],
    ['powershell.exe -nop -c "telnet x"', 'block sh-allowlist'],
    ['pwsh --command "telnet x"', 'block sh-allowlist'],
    ['pwsh "telnet x"', 'block sh-allowlist'],
    ['powershell.exe -EncodedCommand cgBtACAAeAA=', 'block sh-args'],
    ['powershell.exe -enc cgBtACAAeAA=', 'block sh-args'],
    ['powershell.exe -e cgBtACAAeAA=', 'block sh-args'],
    ['powershell.exe -WindowStyle hidden -c ls', 'block sh-args'],
  ])('%j -> %s', (line, expected) => {
    expect(verdict(judged(line, space))).toBe(expected)
  })
})

describe('an interpreter that reads its program', () => {
  it.each([
    ['cat normal/notes.txt | bash', 'block sh-args'],
    ['cat normal/notes.txt | bash -s x', 'block sh-args'],
    ['cat normal/notes.txt | bash -eo pipefail', 'block sh-args'],
    ['cat normal/notes.txt | sh -ev', 'block sh-args'],
    ['cat normal/notes.txt | python3 -E', 'block sh-args'],
    ['cat normal/notes.txt | python3 -W ignore', 'block sh-args'],
    ["cat normal/notes.txt | python3 -c 'print(1)'", 'require_approval sh-ask'],
    ['cat normal/notes.txt | node -r ./normal/x.js', 'block sh-args'],
    ['cat normal/notes.txt | node -r ./normal/x.js normal/y.js', 'require_approval sh-ask'],
    ['cat normal/notes.txt | sh -', 'block sh-args'],
    ['bash < normal/notes.txt', 'block sh-args'],
    ['cat normal/notes.txt | node', 'block sh-args'],
    ['cat normal/notes.txt | node -', 'block sh-args'],
    ['cat normal/notes.txt | python3 -u', 'block sh-args'],
    ['cat normal/notes.txt | timeout 5 bash', 'block sh-args'],
    ['cat normal/notes.txt | env bash', 'block sh-args'],
    ['cat normal/notes.txt | xargs wc', 'require_approval sh-ask'],
    ['cat normal/notes.txt | node x.js', 'require_approval sh-ask'],
    ['cat normal/notes.txt | node -p 1', 'require_approval sh-ask'],
    ['ls && bash normal/x.sh', 'require_approval sh-ask'],
    ['node', 'require_approval sh-ask'],
    ['python3 < /dev/null', 'require_approval sh-ask'],
  ])('%j -> %s', (line, expected) => {
    expect(verdict(judged(line, space))).toBe(expected)
  })
})

describe('options that start a program or hide a file', () => {
  const outcome = (line: string) => judged(line.split(' '), space).outcome.decision

  it.each([
    ...['tar xf a.tar --to-command=x', 'tar xf a.tar --to-comm=x', 'tar tf a.tar -I ./x', 'tar -tI./x -f a.tar'],
    ...[
      'tar cf a.tar --checkpoint-action=exec=x .',
      'tar --use-compress-program=x -tf a',
      'tar -F x -tf a',
      'tar tIf x a',
    ],
    ...['curl -K k.txt', 'curl -sK k.txt', 'curl --config=k', 'curl --conf k', 'curl -o x https://a.test', 'curl -O u'],
    ...['curl -sSLo x u', 'curl -T x u', 'curl -d @x u', 'curl -d@x u', 'curl --data=@x u', 'curl --data-binary @x u'],
    ...['curl -F f=@x u', 'curl -F f=<x u', 'curl -H @x u', 'curl --next u', 'curl -L u', 'curl -c jar u', 'curl -n u'],
    ...['curl file:///etc/hosts', 'curl FILE:///x', 'curl scp://a/b', 'curl --data-urlencode name@x u', 'curl -w @x u'],
    ...['wget -i x', 'wget -O x u', 'wget -e x u', 'wget --post-file=x u', 'wget ftp://a', 'wget --use-askpass=x u'],
    ...['man -P x ls', 'man -Px ls', 'man --pager=x ls', 'man --pag x ls', 'man -H./x ls', 'man --html=x ls'],
    ...['rg --pre=./x a', 'rg --pre ./x a', 'rg --hostname-bin=x a', 'rg -z a', 'rg -inz a', 'rg --search-zip a'],
    ...['fd -x rm', 'fd -HX rm', 'fd --exec rm', 'fd --exec-batch=rm', 'less -ox a', 'less +!x a', 'rsync -e x a b'],
    ...['rsync -ave x a b', 'rsync --rsh=x a b', 'ssh -o ProxyCommand=x h', 'ssh -vF x h', 'zip -T -TT x a.zip b'],
  ])('%s is refused', (line) => {
    expect(outcome(line)).toBe('block')
  })

  it.each([
    ...[
      'tar tf a.tar',
      'tar -tvf a.tar',
      'tar -xzf a.tar -C normal',
      'tar --list --file=a.tar',
      'tar czf normal/a.tgz normal',
    ],
    ...[
      'curl https://a.test/x',
      'curl -sS https://a.test',
      'curl -s -H X-A:b https://a.test',
      'curl -I https://a.test',
    ],
    ...[
      'curl -d a=b https://a.test',
      'curl -X POST https://a.test',
      'wget -q https://a.test',
      'man ls',
      'man 3 printf',
    ],
    ...[
      'rg -n foo normal',
      'rg -ezz normal',
      'rg -e --pre=x normal',
      'rg -n -- --pre=x normal',
      'rg --pretty foo',
      'fd ts normal',
      'fd -e ts',
      'less normal/notes.txt',
    ],
    ...['rsync -av normal/a normal/b', 'ssh host ls', 'zip normal/a.zip normal/notes.txt'],
  ])('%s is asked about', (line) => {
    expect(outcome(line)).toBe('require_approval')
  })
})
