import { z } from 'zod'
import { SettingError } from '../src/core/setting-error.ts'
import { strictJson, StrictJsonError } from '../src/core/strict-json.ts'
import type { Brain, ChatMessage, ModelAnswer } from './model-wire.ts'

/** Answers in order, or a list of answers for each of the user's messages. */
export type Script = readonly ModelAnswer[] | readonly (readonly ModelAnswer[])[]

const OVER: ModelAnswer = { text: 'The script is over.' }

/**
 * Gives the script's answers in order. Which one is due is counted from the assistant's messages in the conversation, so
 * one brain serves any number of conversations.
 * @param last what is answered when the script, or the list of the user's message, is over. @defaultValue a sentence
 */
export function scriptedBrain(script: Script, last: ModelAnswer = OVER): Brain {
  return ({ messages }) => {
    const next = script.every(isList) ? inTurn(script, messages) : script[assistants(messages)]
    // A list beside single answers is a mistake of the caller that the types already refuse.
    return next === undefined || isList(next) ? last : next
  }
}

const isList = (step: ModelAnswer | readonly ModelAnswer[]): step is readonly ModelAnswer[] => Array.isArray(step)
const assistants = (messages: readonly ChatMessage[]): number =>
  messages.filter(({ role }) => role === 'assistant').length

function inTurn(turns: readonly (readonly ModelAnswer[])[], messages: readonly ChatMessage[]): ModelAnswer | undefined {
  const turn = messages.filter(({ role }) => role === 'user').length
  const start = messages.findLastIndex(({ role }) => role === 'user')
  return turns[turn - 1]?.[assistants(messages.slice(start + 1))]
}

// Strict, because the file is ours: a misspelt field would silently change what a test plays.
const Call = z.strictObject({
  id: z.string().optional(),
  name: z.string().min(1),
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]),
})
const Step = z
  .strictObject({ text: z.string().optional(), calls: z.array(Call).min(1).optional() })
  .refine(({ text, calls }) => text !== undefined || calls !== undefined, { error: 'needs text or calls' })
const ScriptFile = z.strictObject({ script: z.literal(1), steps: z.array(Step).min(1) })

/**
 * Reads a script file: `{"script":1,"steps":[{"calls":[{"name":"…","arguments":{}}]},{"text":"…"}]}`.
 * @throws SettingError that names the file and the field.
 */
export function readScript(text: string, file: string): readonly ModelAnswer[] {
  const parsed = ScriptFile.safeParse(parseJson(text, file))
  if (parsed.success) return parsed.data.steps
  const issue = parsed.error.issues[0]
  const field = z.core.toDotPath(issue?.path ?? [])
  const what = field === '' ? file : `${file}, field ${field}`
  throw new SettingError(what, issue?.message ?? 'is not a script', 'See the example in standins/scripted.ts')
}

function parseJson(text: string, file: string): unknown {
  try {
    return strictJson(text)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    throw new SettingError(file, `it is not usable JSON (${cause.message})`, 'Write one JSON object without comments')
  }
}
