import { unreachable } from '../core/unreachable.ts'
import { allow, block, requireApproval, type Outcome } from './outcome.ts'
import type { Place } from './places.ts'
import type { RequestOf } from './request.ts'
import { folderOf, protectedTaint, withTaints, type RuleContext, type Screening } from './screening.ts'
import { unplain } from './spelling.ts'

type FileRequest = RequestOf<'fs.read' | 'fs.write'>

interface Named {
  /** Why the spelling is refused. */
  readonly problem: string | undefined
  readonly place: Place
}

/**
 * The rules for files: the spelling, the working folder, protected paths, the sandbox, what lies below, writable folders.
 * Every path is looked at before the first refusal, so that naming a protected one always taints. Spec: section 1.4.
 */
export function judgeFiles(request: FileRequest, context: RuleContext): Screening {
  const { places } = context
  const folder = folderOf(request.cwd, places)
  const named = request.paths.map((spelled): Named => {
    return { problem: unplain(spelled), place: places.trace(spelled, folder.path) }
  })
  const strange = (request.strange ?? []).map((text) => places.trace(text, folder.path))
  const all = [...named.map(({ place }) => place), ...strange.filter(({ kind }) => kind === 'protected')]
  const taints = all.flatMap((place) => (place.kind === 'protected' ? [protectedTaint(place.path)] : []))
  const outcome =
    misspelled(named) ?? folder.problem ?? forbidden(all) ?? unknownIn(request) ?? scoped(request, named, context)
  const paths = named.map(({ place }) => (place.kind === 'refused' ? '' : place.path))
  const normalized = { path: paths.length === 1 ? paths[0] : paths, spelled: request.paths, cwd: folder.path }
  return { outcome: withTaints(outcome, taints), normalized }
}

function scoped(request: FileRequest, named: readonly Named[], context: RuleContext): Outcome {
  if (request.tool === 'fs.write') return writeScope(named)
  const paths = named.flatMap(({ place }) => (place.kind === 'open' ? [place.path] : []))
  const reached = looksBelow(request, context) ? paths.flatMap((path) => searchProblems(path, context)) : []
  return reached.find(({ taints }) => taints.length > 0) ?? reached[0] ?? allow('fs-read-ok', paths.join(', '))
}

/** True for a reader that would come across whatever lies below: our own search leaves out what is protected. */
const looksBelow = ({ reach }: RequestOf<'fs.read'>, { ownSearch }: RuleContext): boolean =>
  reach === 'tree' || (reach === 'search' && !ownSearch)

/** Why a folder may not be searched. */
function searchProblems(folder: string, { walker, places }: RuleContext): readonly Outcome[] {
  const found = walker.look(folder, Infinity, places)
  switch (found.kind) {
    case 'clear':
      return []
    case 'protected': {
      const extras = { taints: found.configures ? [] : [protectedTaint(found.path)], hint: NARROWER }
      return [block('fs-protected', `${found.path} is protected and lies below a searched folder`, extras)]
    }
    case 'outside':
      return [block('fs-sandbox', 'a link below a searched folder leads out of the sandbox', { hint: NARROWER })]
    case 'refused':
      return [block('fs-sandbox', `below a searched folder: ${found.detail}`, { hint: NARROWER })]
    default:
      return unreachable(found)
  }
}

const NARROWER = 'Search a folder that holds none.'

function misspelled(named: readonly Named[]): Outcome | undefined {
  const problem = named.find((each) => each.problem !== undefined)?.problem
  if (problem === undefined) return undefined
  return block('parse-error', `a path is refused by its spelling: ${problem}`, {
    hint: `Spell the path plainly: ${problem}.`,
  })
}

const unknownIn = ({ strange }: FileRequest): Outcome | undefined =>
  strange === undefined
    ? undefined
    : block('parse-error', 'an argument is not known, and could be another file', {
        hint: 'Leave out the arguments that the tool does not have.',
      })

function forbidden(places: readonly Place[]): Outcome | undefined {
  for (const place of places) {
    if (place.kind === 'protected') return block('fs-protected', `${place.path} is protected`)
  }
  for (const place of places) {
    if (place.kind === 'outside') return block('fs-sandbox', `${place.path} is outside the sandbox`)
    if (place.kind === 'refused') return block(place.malformed ? 'parse-error' : 'fs-sandbox', place.detail)
  }
  return undefined
}

function writeScope(named: readonly Named[]): Outcome {
  const open = named.flatMap(({ place }) => (place.kind === 'open' ? [place] : []))
  const later = open.find(({ asks }) => asks)
  if (later !== undefined) return requireApproval('fs-write-scope', `${later.path} runs later or configures an agent`)
  const unscoped = open.find(({ writable }) => !writable)
  if (unscoped !== undefined) return requireApproval('fs-write-scope', `${unscoped.path} is in no writable folder`)
  return allow('fs-write-ok', open.map(({ path }) => path).join(', '))
}
