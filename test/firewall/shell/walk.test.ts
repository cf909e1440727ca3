import { linkSync, mkdirSync, renameSync, rmSync, unlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Disk } from '../../../src/firewall/disk.ts'
import type { Places } from '../../../src/firewall/places.ts'
import { createWalker, type Walker } from '../../../src/firewall/shell/walk.ts'
import { demoWorkspace, type Workspace } from '../workspace.ts'

let space: Workspace
let now = 0
let walker: Walker
beforeEach(() => {
  space = demoWorkspace({
    protected_names: ['*.pem', '.env.*'],
    protected_paths: ['.env', 'fake_credentials.txt', 'missing'],
  })
  now = 0
  walker = createWalker({ protectedNames: space.policy.protected_names, nowMs: () => now })
})
afterEach(() => {
  space.cleanup()
})

const look = (folder = 'normal', depth = Infinity): string => {
  const found = walker.look(join(space.root, folder), depth, space.places)
  return found.kind === 'refused' ? `refused: ${found.detail}` : found.kind
}

/** The same disk, counting the folders that are read. */
function counting(places: Places): { readonly places: Places; readonly reads: () => number } {
  let reads = 0
  const disk: Disk = {
    ...places.disk,
    readdir: (path) => {
      reads++
      return places.disk.readdir(path)
    },
  }
  return { places: { ...places, disk }, reads: () => reads }
}

describe('what a walk comes across', () => {
  it.each([
    { what: 'nothing', arrange: () => undefined, found: 'clear' },
    { what: 'a protected name', arrange: () => space.write('normal/a/b/server.pem', ''), found: 'protected' },
    {
      what: 'a protected name in another case',
      arrange: () => space.write('normal/.ENV.local', ''),
      found: 'protected',
    },
    {
      what: 'a link to a protected file',
      arrange: () => {
        space.link('normal/a/x', '../../.env')
      },
      found: 'protected',
    },
    {
      what: 'a link to a folder that holds one',
      arrange: () => {
        space.link('normal/up', '..')
      },
      found: 'protected',
    },
    {
      what: 'a link that leaves the sandbox',
      arrange: () => {
        space.link('normal/out', space.outside)
      },
      found: 'outside',
    },
    {
      what: 'a link to a folder inside',
      arrange: () => {
        space.link('normal/c', '../canary')
      },
      found: 'clear',
    },
    {
      what: 'a link to its own folder',
      arrange: () => {
        space.link('normal/self', '.')
      },
      found: 'clear',
    },
    {
      what: 'a link that leads nowhere',
      arrange: () => {
        space.link('normal/gone', 'nothing')
      },
      found: 'clear',
    },
    {
      what: 'a link into /proc',
      arrange: () => {
        space.link('normal/p', '/proc/self/cwd')
      },
      found: 'refused',
    },
  ])('$what: $found', ({ arrange, found }) => {
    arrange()
    expect(look()).toMatch(found)
  })

  it('is a second name of a protected file', () => {
    linkSync(join(space.root, '.env'), join(space.root, 'normal/copy'))
    expect(look()).toBe('protected')
  })

  it('is a file with a second name that nobody knows', () => {
    linkSync(space.write('canary/file', ''), join(space.root, 'normal/copy'))
    expect(look()).toMatch('refused')
  })

  it('is a protected path only when it exists', () => {
    unlinkSync(join(space.root, '.env'))
    unlinkSync(join(space.root, 'fake_credentials.txt'))
    unlinkSync(join(space.root, 'malicious_repo/config-link'))
    expect(look('')).toBe('clear')
    mkdirSync(join(space.root, 'missing'))
    expect(look('')).toBe('protected')
  })

  it('is only what lies within its depth', () => {
    space.write('normal/a/b/server.pem', '')
    expect([0, 1, 2, 3].map((depth) => look('normal', depth))).toEqual(['clear', 'clear', 'clear', 'protected'])
  })

  it('is refused when it is more than 20,000 entries', () => {
    const places: Places = {
      ...space.places,
      disk: { ...space.places.disk, readdir: () => Array.from({ length: 20_001 }, (_, at) => `f${at}`) },
    }
    expect(walker.look(join(space.root, 'normal'), Infinity, places)).toMatchObject({ kind: 'refused' })
  })

  it('is refused when a folder cannot be read', () => {
    const places: Places = { ...space.places, disk: { ...space.places.disk, readdir: () => undefined } }
    expect(walker.look(join(space.root, 'normal'), Infinity, places)).toMatchObject({ kind: 'refused' })
  })
})

describe('what a walker remembers', () => {
  const reads = (): number => {
    const { places, reads: count } = counting(space.places)
    walker.look(join(space.root, 'normal'), Infinity, places)
    return count()
  }

  it('is the listing of a folder that did not change, once a tick of the disk has passed', () => {
    space.write('normal/a/b/file', '')
    expect(reads()).toBe(3)
    expect(reads()).toBe(3)
    now += 100
    expect(reads()).toBe(3)
    expect(reads()).toBe(0)
  })

  it.each([
    { what: 'a new file', change: () => space.write('normal/a/server.pem', '') },
    {
      what: 'a new link',
      change: () => {
        space.link('normal/a/l', '../../.env')
      },
    },
    {
      what: 'a renamed file',
      change: () => {
        renameSync(join(space.root, 'normal/a/plain'), join(space.root, 'normal/a/x.pem'))
      },
    },
    {
      what: 'a change that sets the time back',
      change: () => {
        space.write('normal/a/server.pem', '')
        utimesSync(join(space.root, 'normal/a'), 1, 1)
      },
    },
    {
      what: 'another folder in its place',
      change: () => {
        rmSync(join(space.root, 'normal/a'), { recursive: true })
        space.write('normal/a/server.pem', '')
      },
    },
  ])('is forgotten with $what', ({ change }) => {
    space.write('normal/a/plain', '')
    for (const at of [0, 100, 200]) {
      now = at
      expect(look()).toBe('clear')
    }
    change()
    expect(look()).toBe('protected')
  })

  it('does not outlive a change of what a link leads to', () => {
    space.write('canary/d/file', '')
    space.link('normal/l', '../canary/d')
    for (const at of [0, 100, 200]) {
      now = at
      expect(look()).toBe('clear')
    }
    space.write('canary/d/key.pem', '')
    expect(look()).toBe('protected')
  })

  it('asks once for each folder of a tree of 5,000 files, and for no file', () => {
    const root = join(space.root, 'normal')
    const listed = (prefix: string, count: number): readonly string[] =>
      Array.from({ length: count }, (_, at) => `${prefix}${at}`)
    let asked = 0
    const disk: Disk = {
      ...space.places.disk,
      lstat: (path) => {
        asked++
        return { kind: 'directory', identity: path, links: 1, size: 0, version: 'same' }
      },
      glance: (path) => {
        asked++
        return { kind: /f\d+$/.test(path) ? 'file' : 'directory', links: 1 }
      },
      readdir: (path) => (path === root ? listed('d', 100) : listed('f', 50)),
    }
    const counts = [0, 100, 200].map((at) => {
      now = at
      asked = 0
      expect(walker.look(root, Infinity, { ...space.places, disk })).toEqual({ kind: 'clear' })
      return asked
    })
    expect(counts).toEqual([5201, 5201, 101])
  })
})
