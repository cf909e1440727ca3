import type { ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import { pass, refuse, type Verdict } from '../core/verdict.ts'

/** One ASCII word of at most 64 characters: it can name something, but it cannot say anything. */
const WORD = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/

interface Slot {
  readonly before: string
  readonly argument: string
}

interface Compiled {
  readonly slots: readonly Slot[]
  readonly tail: string
}

/** Only a memory of a pure function, so that the hot path never parses a template. */
const compiled = new WeakMap<ToolDefinition, Compiled>()

/**
 * Renders the sentence that is authorized. Every value is one ASCII word, so the words of the sentence are the
 * developer's and its ids are the call's.
 * @returns `intent.template_refused`, with the argument's name as detail, for any other value and for an absent one.
 */
export function renderSentence(definition: ToolDefinition, args: ToolArguments): Verdict<string> {
  const { slots, tail } = compiled.get(definition) ?? compile(definition)
  let sentence = ''
  for (const { before, argument } of slots) {
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined
    if (typeof value !== 'string' || !WORD.test(value)) return refuse('intent.template_refused', argument)
    sentence += before + value
  }
  return pass(sentence + tail)
}

function compile(definition: ToolDefinition): Compiled {
  const slots: Slot[] = []
  let end = 0
  for (const match of definition.template.matchAll(/\{([^{}]*)\}/g)) {
    slots.push({ before: definition.template.slice(end, match.index), argument: match[1] ?? '' })
    end = match.index + match[0].length
  }
  const template = { slots, tail: definition.template.slice(end) }
  compiled.set(definition, template)
  return template
}
