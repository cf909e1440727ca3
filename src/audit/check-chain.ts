import { EMPTY_CHAIN, hashOf, type ChainEnd } from './chain.ts'
import { diagnose, readLine, type ChainState, type Finding, type SealedLine } from './sealed-line.ts'
import { isTornMarker, MAX_TORN_LINES, tornLines, type TornLines, type TornTail } from './torn-lines.ts'

/** What a whole file looks like against its head. */
export interface ChainReport {
  readonly lines: number
  /** False when the file does not end with a newline. */
  readonly terminated: boolean
  /** The last line that belongs to the chain. */
  readonly end: ChainEnd
  /** Intact lines after the one that the head names. */
  readonly beyond: number
  readonly tail: TornTail | undefined
  /** What no crash can explain. */
  readonly problems: readonly Finding[]
  readonly notes: readonly Finding[]
}

/** Takes the lines of a file one by one; memory does not grow with the file. */
export interface ChainCheck {
  /** `terminated` is false for a last line without a newline. */
  readonly line: (bytes: Uint8Array, terminated: boolean) => void
  readonly end: () => ChainReport
}

const MAX_PROBLEMS = 50

/**
 * Checks lines against each other and against the head; without a head, against each other only.
 * @param visit gets every intact line, in order.
 */
export function checkChain(
  head: ChainEnd | undefined,
  visit: (line: SealedLine) => void = () => undefined,
): ChainCheck {
  const walk = walkChain(head, visit)
  let lines = 0
  let whole = true
  let torn: TornLines | undefined

  const giveUp = () => {
    for (const line of torn?.lines ?? []) walk.take(line)
    torn = undefined
  }
  return {
    line: (bytes, terminated) => {
      const line = readLine(bytes, ++lines, hashOf(bytes))
      whole &&= terminated
      // After a fault there is no telling what a crash left, so only an unbroken chain can have a torn line.
      if (torn === undefined && (walk.isBroken() || walk.follows(line))) walk.take(line)
      else if (torn !== undefined && walk.closes(torn, line)) torn = undefined
      else {
        torn ??= tornLines()
        torn.add(line, bytes)
        if (torn.lines.length > MAX_TORN_LINES) giveUp()
      }
    },
    end: () => {
      if (walk.end().count < (head?.count ?? Infinity)) giveUp()
      const end = walk.end()
      const beyond = Math.max(0, end.count - (head?.count ?? end.count))
      const problems = walk.problems()
      // A line that only lacks its newline was being written, so nobody was told of it; the head does not name it.
      if (!whole && torn === undefined && beyond === 0) {
        problems.push({ line: lines, says: 'is cut off: it has no newline' })
      }
      const tail = torn?.tail()
      return { lines, terminated: whole, end, beyond, tail, problems: capped(problems), notes: walk.notes }
    },
  }
}

interface Walk {
  readonly follows: (line: SealedLine) => boolean
  /** Accepts a line that follows; of any other it records what is wrong, and goes on behind it. */
  readonly take: (line: SealedLine) => void
  /** Accepts a line that is the marker of exactly these torn lines. */
  readonly closes: (torn: TornLines, line: SealedLine) => boolean
  readonly isBroken: () => boolean
  readonly end: () => ChainEnd
  readonly problems: () => Finding[]
  readonly notes: readonly Finding[]
}

function walkChain(head: ChainEnd | undefined, visit: (line: SealedLine) => void): Walk {
  let state: ChainState = EMPTY_CHAIN
  let named = head?.count === 0 ? EMPTY_CHAIN.hash : undefined
  const problems: Finding[] = []
  const notes: Finding[] = []
  const accept = (line: SealedLine) => {
    state = { count: line.seq, hash: line.hash }
    if (state.count === head?.count) named = line.hash
    visit(line)
  }
  const end = () => ({ count: state.count, hash: state.hash ?? EMPTY_CHAIN.hash })
  return {
    end,
    notes,
    isBroken: () => problems.length > 0,
    follows: (line) => diagnose(line, state) === undefined,
    take: (line) => {
      const problem = diagnose(line, state)
      if (problem === undefined) accept(line)
      else {
        problems.push(problem)
        state = afterFault(line, state)
      }
    },
    closes: (torn, line) => {
      if (!isTornMarker(line, torn.tail(), state)) return false
      notes.push({ line: state.count + 1, says: `was cut off by a crash, as line ${line.line} marks` })
      accept(line)
      return true
    },
    problems: () => [...problems, ...(head === undefined ? [] : againstHead(head, end(), named, problems.length > 0))],
  }
}

/** The chain is taken up again behind a fault, so that one fault is one finding. */
function afterFault(line: SealedLine, { count }: ChainState): ChainState {
  if (!line.valid) return { count: count + 1 }
  return line.seq > count ? { count: line.seq, hash: line.hash } : { count }
}

function againstHead(head: ChainEnd, end: ChainEnd, named: string | undefined, broken: boolean): Finding[] {
  if (head.count > end.count) {
    const missing = head.count - end.count
    const last = end.count === 0 ? 'there is no line' : `is the last of ${end.count}`
    return [{ line: end.count, says: `${last}, but the head counts ${head.count}: ${missing} cut off` }]
  }
  if (named === undefined ? broken : named === head.hash) return []
  return [{ line: head.count, says: 'is not the line that the head names: the line or the head was changed' }]
}

function capped(problems: readonly Finding[]): readonly Finding[] {
  if (problems.length <= MAX_PROBLEMS) return problems
  const more = problems.length - MAX_PROBLEMS
  return [...problems.slice(0, MAX_PROBLEMS), { line: 0, says: `${more} more problems are not listed` }]
}
