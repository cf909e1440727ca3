import { describe, expect, it } from 'vitest'
import { foreign, unplain } from '../../src/firewall/spelling.ts'

describe('a path of a file tool is refused for', () => {
  it.each([
    ['a NUL, encoded twice', 'src/%2500x'],
    ['a division slash (FI-17)', 'docs\u2215..\u2215x'],
    ['a fraction slash', 'docs\u2044x'],
    ['the Kelvin sign', 'src/\u212aeys'],
    ['the Greek question mark', 'src/a\u037eb'],
    ['a full-width dot', '\uff0eenv'],
  ])('%s', (_title, path) => {
    expect([unplain(path), foreign(path)]).toEqual([expect.any(String), expect.any(String)])
  })

  it.each([
    ['a device', 'CON'],
    ['a device with an ending', 'src/nul.tar.gz'],
    ['a device in small letters below a folder', 'src/aux/x'],
    ['a numbered device', 'lpt1.txt'],
    ['a colon', 'a:b'],
    ['a tilde', '~/x'],
    ['a dot at the end', 'notes.'],
  ])('%s, which a text may hold', (_title, path) => {
    expect([unplain(path), foreign(path)]).toEqual([expect.any(String), undefined])
  })

  it.each([
    ...['src/console.ts', 'src/nullable.ts', 'src/com.ts', 'src/auxiliary.md', 'src/comb1.ts', 'src/printer'],
    ...['src/100%.txt', 'src/a%20b', 'src/a~b.txt', 'src/caf\u00e9.ts', 'src/cafe\u0301.ts', 'src/\u00c5.md'],
    ...['src/\u65e5\u672c\u8a9e.md', 'src/\ud55c\uae00.md', 'src/\u0939\u093f\u0928\u094d\u0926\u0940.md'],
    ...['src/\u03a9.md', 'src/\u0915\u093c.md', 'src/[id].tsx', 'src/..data', '.', '..', 'src/'],
  ])('no %s', (path) => {
    expect([unplain(path), foreign(path)]).toEqual([undefined, undefined])
  })
})
