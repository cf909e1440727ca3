import { posix } from 'node:path'
import type { Places } from '../places.ts'
import type { Walker } from './walk.ts'

const PLAIN_NAME = /^[\w.@+-]{1,64}$/
const MAX_TRIED = 24
const MAX_LISTED = 8

/** A sentence with the folders right below a refused one that may be searched whole; empty when there is none. */
export function cleanFolders(folder: string, cwd: string, places: Places, walker: Walker): string {
  const place = places.locate(folder, cwd)
  if (place.kind !== 'open') return ''
  const isClean = (name: string): boolean => {
    const path = posix.join(place.path, name)
    if (places.disk.lstat(path)?.kind !== 'directory') return false
    return places.locate(path, place.path).kind === 'open' && walker.look(path, Infinity, places).kind === 'clear'
  }
  const names = [...(places.disk.readdir(place.path) ?? [])].filter((name) => PLAIN_NAME.test(name) && name !== '.git')
  const found = names.sort().slice(0, MAX_TRIED).filter(isClean).slice(0, MAX_LISTED)
  return found.length === 0
    ? ''
    : `These may be searched whole: ${found.map((name) => posix.join(posix.relative(cwd, place.path), name)).join(', ')}.`
}
