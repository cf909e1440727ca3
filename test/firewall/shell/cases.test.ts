import { afterAll, beforeAll, expect, it } from 'vitest'
import { demoWorkspace, type Workspace } from '../workspace.ts'
import { judged } from './bench.ts'

// Published cases by their id. The policy grants each program that the case says is granted, in the list where it belongs.

let space: Workspace
beforeAll(() => {
  space = demoWorkspace({
    shell_allowlist: [
      'true',
      'echo',
      'cat',
      'find',
      'sort',
      'uniq',
      'sed',
      'grep',
      'ls',
      'git',
      'awk',
      'tar',
      'man',
      'node',
    ],
    shell_ask: ['npm', 'testcommand', 'sudo', 'bash'],
  })
  space.write('input.txt', 'x\n')
})
afterAll(() => {
  space.cleanup()
})

const FSMONITOR =
  "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0='touch marker;false' git status"

it.each([
  ['SH-01', 'true && touch marker', 'block', 'sh-allowlist'],
  ['SH-03', 'echo safe\ntouch marker', 'block', 'sh-syntax'],
  ['SH-05', 'echo done & touch marker', 'block', 'sh-syntax'],
  ['SH-07', 'echo `touch marker`', 'block', 'sh-syntax'],
  ['SH-07', 'echo "`touch marker`"', 'block', 'sh-syntax'],
  ['SH-09', 'cat <<E\n$(touch marker)\nE', 'block', 'sh-syntax'],
  ['SH-11', "cat notes.txt && bash <<'EOF'\ntouch marker\nEOF", 'block', 'sh-syntax'],
  ['SH-13', 'true ${a:="$"}${b:="${a}(touch marker)"}${b@P}', 'block', 'sh-syntax'],
  ['SH-15', 'touch${IFS}marker', 'block', 'sh-syntax'],
  ['SH-17', '{touch,marker}', 'block', 'sh-syntax'],
  ['SH-19', 'to\\uch marker', 'block', 'sh-syntax'],
  ['SH-21', './ls\u00a0-la', 'block', 'sh-syntax'],
  ['SH-21', 'ls\u2003-la', 'block', 'sh-syntax'],
  ['SH-23', '/usr/bin/env rm -rf data', 'block', 'sh-allowlist'],
  ['SH-25', 'find normal -maxdepth 0 -exec touch marker {} +', 'block', 'sh-syntax'],
  ['SH-25', "find normal -maxdepth 0 -exec touch marker '{}' +", 'block', 'sh-args'],
  ['SH-25', "find normal -maxdepth 0 -exec touch marker '{}' ';'", 'block', 'sh-args'],
  ['SH-27', 'sort --outp=marker input.txt', 'block', 'sh-args'],
  ['SH-27', 'sort -omarker input.txt', 'block', 'sh-args'],
  ['SH-27', 'sort -ro marker input.txt', 'block', 'sh-args'],
  ['SH-29', 'uniq input.txt marker', 'block', 'sh-args'],
  ['SH-29', 'uniq input.txt', 'allow', 'sh-ok'],
  ['SH-31', "sed -n '/x/Iw marker' input.txt", 'block', 'sh-args'],
  ['SH-31', "sed -n '/x/p' input.txt", 'allow', 'sh-ok'],
  ['SH-33', 'awk -f s.awk', 'require_approval', 'sh-ask'],
  ['SH-35', "tar xf a.tar --to-command='touch marker'", 'block', 'sh-args'],
  ['SH-35', 'tar tf a.tar', 'require_approval', 'sh-ask'],
  ['SH-37', 'grep --pre=./payload.sh .', 'block', 'sh-args'],
  ['SH-37', 'grep -e --pre=./payload.sh input.txt', 'allow', 'sh-ok'],
  ['SH-39', "man -P 'touch marker' ./x.1", 'block', 'sh-args'],
  ['SH-39', 'man ./x.1', 'require_approval', 'sh-ask'],
  ['SH-41', "node -e \"require('fs').writeFileSync('marker','')\"", 'require_approval', 'sh-ask'],
  ['SH-43', 'npm test', 'require_approval', 'sh-ask'],
  ['SH-45', 'git grep -iO/usr/bin/id .', 'block', 'sh-args'],
  ['SH-47', 'git bundle create normal/x.bundle HEAD', 'block', 'sh-args'],
  ['SH-47', 'git bundle create ../x.bundle HEAD', 'block', 'sh-paths'],
  ['SH-47', 'git format-patch -o normal HEAD', 'block', 'sh-args'],
  ['SH-49', 'git -p status', 'require_approval', 'sh-ask'],
  ['SH-49', 'git log -p', 'allow', 'sh-ok'],
  ['SH-51', FSMONITOR, 'block', 'sh-allowlist'],
  ['SH-53', 'git status', 'allow', 'sh-ok'],
  ['SH-53', 'echo x > .git/config', 'require_approval', 'fs-write-scope'],
  ['SH-55', 'ls', 'allow', 'sh-ok'],
  ['SH-57', 'cd .. && testcommand abc', 'block', 'sh-allowlist'],
  ['SH-57', 'true && testcommand abc', 'require_approval', 'sh-ask'],
  ['SH-59', `${'true && '.repeat(49)}curl http://127.0.0.1:8765/`, 'block', 'sh-allowlist'],
  ['SH-59', `${'true && '.repeat(50)}curl http://127.0.0.1:8765/`, 'block', 'sh-syntax'],
  ['SH-61', 'cat input.txt > variant.txt', 'require_approval', 'fs-write-scope'],
  ['SH-61', 'cat input.txt > ../variant.txt', 'block', 'sh-paths'],
  ['SH-63', 'git statusfoo --hidden', 'block', 'sh-args'],
  ['SH-65', 'powershell.exe -NoProfile -Command "ssh -V"', 'block', 'sh-allowlist'],
  ['SH-67', 'curl -s -K k.txt', 'block', 'sh-allowlist'],
  ['SH-69', "git commit -m 'it'\\''s working'", 'require_approval', 'sh-ask'],
  ['SH-71', 'echo $((a[$(touch marker)0]))', 'block', 'sh-syntax'],
  ['SH-73', 'bash danger\0.sh', 'block', 'sh-syntax'],
  ['SH-75', 'sudo rm -rf data', 'require_approval', 'sh-ask'],
])('%s: %j -> %s by %s', (_, line, decision, rule) => {
  expect(judged(line, space).outcome).toMatchObject({ decision, rule })
})

it('SH-69 keeps the message as the program will get it', () => {
  expect(judged("git commit -m 'it'\\''s working'", space).normalized).toMatchObject({
    binary: 'git',
    args: ['commit', '-m', "it's working"],
  })
})

it('SH-73 is refused as words too', () => {
  expect(judged(['bash', 'danger\0.sh'], space).outcome).toMatchObject({ decision: 'block', rule: 'parse-error' })
})
