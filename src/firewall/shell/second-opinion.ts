import {
  parse,
  type AndOr,
  type Assignment,
  type CommandNode,
  type PipelineNode,
  type Redirection,
  type Statement,
  type Word,
} from 'unbash'
import type { Joint, Redirect, SpelledStage } from './stage.ts'

/**
 * True when a parser for bash finds exactly these commands in the line: no error, nothing expanded, the same joints, words
 * and redirects in the same order. The parser is tolerant, so anything that is not one of the plain nodes is a no.
 */
export function agrees(line: string, stages: readonly SpelledStage[]): boolean {
  const script = parse(line)
  if (script.errors !== undefined && script.errors.length > 0) return false
  const found = script.commands.flatMap(statement)
  return found.length === stages.length && stages.every((stage, at) => isSame(stage, found[at]))
}

interface Found {
  readonly joint: Joint
  readonly node: CommandNode
}

/** A statement that is not plain gives a command of a kind that agrees with nothing. */
function statement({ command, background }: Statement): readonly Found[] {
  if (background === true) return []
  return command.type === 'AndOr' ? andOr(command) : pipeline(command, ';')
}

const andOr = ({ commands, operators }: AndOr): readonly Found[] =>
  commands.flatMap((command, at) => pipeline(command, at === 0 ? ';' : (operators[at - 1] ?? ';')))

function pipeline(node: PipelineNode, joint: Joint): readonly Found[] {
  if (node.type !== 'Pipeline') return [{ joint, node }]
  if (node.prefixes.length > 0 || node.operators.some((operator) => operator !== '|')) return []
  return node.commands.map((command, at) => ({ joint: at === 0 ? joint : '|', node: command }))
}

function isSame(stage: SpelledStage, found: Found | undefined): boolean {
  if (found?.joint !== stage.joint || found.node.type !== 'Command') return false
  const { prefix, name, suffix } = found.node
  const nodes = [...prefix, ...(name === undefined ? [] : [name]), ...suffix]
  const words = nodes.flatMap((node) => {
    if (node.type === 'Assignment') return [assigned(node)]
    return node.type === 'Word' ? [spelledWord(node)] : []
  })
  const own = stage.argv.map((value, at) => ({
    value,
    isPattern: stage.expands.includes(at) || stage.keeps.includes(at),
  }))
  const redirects = nodes.filter((node) => node.type !== 'Assignment' && node.type !== 'Word')
  return (
    isEach(own, words, (word, other) => word.value === other?.value && word.isPattern === other.isPattern) &&
    isEach(stage.redirects, redirects, isSameRedirect)
  )
}

const isEach = <A, B>(
  own: readonly A[],
  other: readonly B[],
  isPair: (one: A, two: B | undefined) => boolean,
): boolean => own.length === other.length && own.every((one, at) => isPair(one, other[at]))

interface SpelledWord {
  readonly value: string
  readonly isPattern: boolean
}

/** An assignment as the one word that our scanner sees; undefined with an index or a list. */
function assigned({ name, append, index, value }: Assignment): SpelledWord | undefined {
  if (index !== undefined || value.type !== 'Word' || !isLiteral(value)) return undefined
  return { value: `${name}${append === true ? '+' : ''}=${value.value}`, isPattern: false }
}

/** A literal word, or one with `*` and `?` outside of quotes and nothing else that a shell replaces. */
function spelledWord(word: Word): SpelledWord | undefined {
  if (isLiteral(word)) return { value: word.value, isPattern: false }
  const isPattern = word.parts?.every(
    (part) => part.type === 'Literal' || (part.type === 'Glob' && (part.kind === 'star' || part.kind === 'question')),
  )
  return isPattern === true ? { value: word.value, isPattern } : undefined
}

/** Only text and quotes around text: nothing that a shell replaces. */
function isLiteral({ parts = [] }: Word): boolean {
  return parts.every((part) => {
    if (part.type === 'DoubleQuoted') return part.parts.every(({ type }) => type === 'Literal')
    return part.type === 'Literal' || part.type === 'SingleQuoted'
  })
}

function isSameRedirect(redirect: Redirect, found: Redirection | undefined): boolean {
  if (found?.type !== 'Redirect' || found.target === undefined || !isLiteral(found.target)) return false
  const expected = spelled(redirect)
  return (
    expected.operators.includes(found.operator) &&
    expected.target === found.target.value &&
    expected.descriptor === descriptorOf(found)
  )
}

/** The number in front of a redirect, or the one that it stands for; undefined for a variable. */
function descriptorOf({ descriptor, operator }: Extract<Redirection, { type: 'Redirect' }>): number | undefined {
  if (descriptor === undefined) return operator === '<' ? 0 : 1
  return descriptor.type === 'FileDescriptor' ? descriptor.value : undefined
}

/** How a shell line spells a redirect. */
function spelled(redirect: Redirect): {
  readonly operators: readonly string[]
  readonly descriptor: number
  readonly target: string
} {
  switch (redirect.kind) {
    case 'read':
      return { operators: ['<'], descriptor: 0, target: redirect.path }
    case 'empty':
      return { operators: ['<'], descriptor: 0, target: '/dev/null' }
    case 'write':
      return { operators: [redirect.append ? '>>' : '>'], descriptor: redirect.descriptor, target: redirect.path }
    case 'discard':
      return { operators: ['>', '>>'], descriptor: redirect.descriptor, target: '/dev/null' }
    case 'join':
      return { operators: ['>&'], descriptor: redirect.descriptor, target: String(redirect.into) }
  }
}
