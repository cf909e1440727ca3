import type { ToolArguments } from '../core/tool-arguments.ts'
import { block, type Outcome } from './outcome.ts'
import type { Place, Places } from './places.ts'
import type { Policy } from './policy.ts'
import type { Walker } from './shell/walk.ts'
import type { Origin } from './url.ts'

/** What the rules know about the moment. */
export interface RuleContext {
  readonly policy: Policy
  /** One look at the disk for this request. */
  readonly places: Places
  /** True when the session was tainted before this request. */
  readonly tainted: boolean
  /** Remembers the folders that searches have looked through. */
  readonly walker: Walker
  /** The entries of `network.allow`, read once. */
  readonly origins: readonly Origin[]
  /** True when the `grep` that runs is ours, which leaves out whatever is not open. */
  readonly ownSearch: boolean
}

/** An outcome, and the request with one spelling for everything: what may be shown, recorded and run. */
export interface Screening {
  readonly outcome: Outcome
  readonly normalized: ToolArguments
}

/** The working folder of a request. */
interface Folder {
  /** Physical; where the folder is refused, the root, so that the rest can still be looked at. */
  readonly path: string
  /** Why nothing may start there. */
  readonly problem: Outcome | undefined
}

/** Reads a spelled working folder; a missing one is the root, a relative one starts there. Spec: section 1.1. */
export function folderOf(cwd: string | undefined, places: Places): Folder {
  const place: Place = places.locate(cwd ?? '', places.root)
  switch (place.kind) {
    case 'open':
      return { path: place.path, problem: vanished(places) }
    case 'protected': {
      const taints = [protectedTaint(place.path)]
      return {
        path: place.path,
        problem: block('fs-protected', `the working folder ${place.path} is protected`, { taints }),
      }
    }
    case 'outside':
      return { path: place.path, problem: block('fs-sandbox', `the working folder ${place.path} is outside`) }
    case 'refused': {
      const rule = place.malformed ? 'parse-error' : 'fs-sandbox'
      return { path: places.root, problem: block(rule, `the working folder: ${place.detail}`) }
    }
  }
}

/** Nothing is judged in a sandbox that is not there, or that something else has taken the place of. */
const vanished = (places: Places): Outcome | undefined =>
  isThere(places) ? undefined : block('fs-sandbox', GONE, { hint: PUT_BACK })

const isThere = ({ disk, root }: Places): boolean => disk.lstat(root)?.kind === 'directory'
const GONE = 'the folder of the sandbox is gone'
const PUT_BACK = 'The folder of the sandbox is gone. A person must put it back.'

/** What leaves the machine is not judged then either: the secrets that it could carry are not known any more. */
export function secretsGone(places: Places): Screening | undefined {
  return isThere(places) ? undefined : { outcome: block('fail-closed', GONE, { hint: PUT_BACK }), normalized: {} }
}

/** The reason to taint a session that named or reached a protected path. */
export const protectedTaint = (path: string): string => `fs-protected: ${path}`

/** The same outcome with further reasons to taint. */
export function withTaints(outcome: Outcome, taints: readonly string[]): Outcome {
  return taints.length === 0 ? outcome : { ...outcome, taints: [...new Set([...outcome.taints, ...taints])] }
}
