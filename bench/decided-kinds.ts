import { z } from 'zod'

// Loose: an answer of `decide`, of which one field matters.
const Answer = z.looseObject({ kind: z.string() })

/** What `decide` said to each line: the decision itself, since every answer also lists the opinions that permit. */
export const decidedKinds = (stdout: string): readonly string[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => Answer.parse(JSON.parse(line)).kind)
