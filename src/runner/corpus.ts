import { z } from 'zod'
import { SettingError } from '../core/setting-error.ts'
import { strictJson, StrictJsonError } from '../core/strict-json.ts'

const Text = z.string().min(1)
const Pairs = z.array(z.tuple([Text, Text])).default([])

// Strict, because the files are ours: a misspelt field would silently test something else.
const Policy = z.strictObject({
  protected_paths_add: z.array(Text).default([]),
  /** Keys of a policy file, in place of what the workspace's own policy says. */
  set: z.record(z.string(), z.unknown()).default({}),
})
const Setup = z.strictObject({
  /** Path and content; folders are made. */
  files: z.record(Text, z.string()).default({}),
  folders: z.array(Text).default([]),
  /** Link and target; a link of that name that is there already is replaced. */
  symlinks: Pairs,
  /** Second name and first name of a file. */
  hard_links: Pairs,
  pipes: z.array(Text).default([]),
  /** True: the workspace is a git repository with one commit of its harmless files. */
  git: z.boolean().default(false),
})
const Step = z.strictObject({
  /** As `decide` reads it. */
  request: z.record(z.string(), z.unknown()),
  decision: z.enum(['allow', 'require_approval', 'block']),
  /** The rule that decided. */
  rule: Text,
  /** Further rules that must have fired. */
  also: z.array(Text).default([]),
  /** Whether the session is tainted afterwards; not looked at when it is not said. */
  tainted: z.boolean().optional(),
  /** What the result of the run must hold; the step must be allowed and of a tool that we run. */
  shows: Text.optional(),
})
const Case = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.-]*$/),
  family: Text,
  /** True only for what must work. */
  benign: z.literal(true).optional(),
  /** The published case, the regression test or the weakness that it comes from. */
  from: Text.optional(),
  why: Text.optional(),
  /** What planted text would say; nobody reads it. */
  untrusted_text: z.string().optional(),
  setup: Setup.prefault({}),
  policy: Policy.prefault({}),
  steps: z.array(Step).min(1),
})
const File = z.strictObject({
  version: z.literal(1),
  description: Text,
  /** Changes for every case of the file. */
  policy: Policy.prefault({}),
  cases: z.array(Case).min(1),
})

/** One request of a case, and what must come of it. */
export type CorpusStep = z.output<typeof Step>
/** What a case finds in its fresh workspace beside what every one has. */
export type CorpusSetup = z.output<typeof Setup>
/** A case with the policy changes of its file and of itself, in this order. */
export type CorpusCase = Omit<z.output<typeof Case>, 'policy'> & { readonly policies: readonly CorpusPolicy[] }
/** Changes to the policy that a case would have: further protected paths, and keys that are set anew. */
export type CorpusPolicy = z.output<typeof Policy>

/**
 * Reads one file of the corpus (firewall spec, 13.1).
 * @throws SettingError that names the file, the case and the field.
 */
export function readCorpus(text: string, file: string): readonly CorpusCase[] {
  const parsed = File.safeParse(valueOf(text, file))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const where = z.core.toDotPath(issue?.path ?? [])
    throw new SettingError(`${file}, field ${where}`, issue?.message ?? 'is wrong', 'See corpus/README.md for the form')
  }
  const { policy: common, cases } = parsed.data
  return cases.map(({ policy, ...rest }) => ({ ...rest, policies: [common, policy] }))
}

function valueOf(text: string, file: string): unknown {
  try {
    return strictJson(text)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    throw new SettingError(file, `is no strict JSON: ${cause.message}`, 'Correct it')
  }
}

/**
 * Refuses two cases with one id: a result must say which case it is about.
 * @throws SettingError that names the id.
 */
export function checkCaseIds(cases: readonly CorpusCase[]): void {
  const seen = new Set<string>()
  for (const { id } of cases) {
    if (seen.has(id)) throw new SettingError(id, 'is the id of two cases', 'Rename one of them')
    seen.add(id)
  }
}

/** The cases whose id, family or origin one of the terms between commas names; `*` stands for any letters. */
export function filterCases(cases: readonly CorpusCase[], terms: string | undefined): readonly CorpusCase[] {
  if (terms === undefined) return cases
  const tests = terms.split(',').map((term) => new RegExp(`^${term.trim().split('*').map(quoted).join('.*')}$`, 'i'))
  return cases.filter(({ id, family, from = '' }) =>
    tests.some((test) => [id, family, from].some((name) => test.test(name))),
  )
}

const quoted = (text: string): string => text.replace(/[.+^${}()|[\]\\?]/g, String.raw`\$&`)

/** Replaces `{{name}}` in every text and key of a value: paths of the machine that a case cannot know. */
export function filledIn<Value>(value: Value, names: Readonly<Record<string, string>>): Value {
  const text = Object.entries(names).reduce(
    (filled, [name, path]) => filled.replaceAll(`{{${name}}}`, () => JSON.stringify(path).slice(1, -1)),
    JSON.stringify(value),
  )
  // The form is the same as before: only texts have changed.
  return JSON.parse(text) as Value
}
