import { z } from 'zod'
import { originOf } from './url.ts'

const hasNoNul = (text: string): boolean => !text.includes('\0')
const Text = z.string().min(1).refine(hasNoNul, 'it holds a NUL')
const Path = Text.max(4096).describe('A path; a relative one starts at sandbox_root.')
const BareName = Text.max(255).refine((name) => !/[/=\s]/.test(name), 'a bare program name: no slash, `=` or blank')
const NameGlob = Text.max(255).refine((glob) => !glob.includes('/'), 'a pattern for one name: no slash')
const unique = (names: readonly string[]): boolean => new Set(names).size === names.length
const list = <Item extends z.ZodType<string>>(item: Item) => z.array(item).refine(unique, 'an entry is there twice')

/** The argument names that always hold a path, unless a policy lists its own. */
const PATH_ARGUMENTS = [
  'path',
  'paths',
  'source',
  'destination',
  'file',
  'files',
  'filename',
  'filepath',
  'file_path',
  'dir',
  'directory',
  'src',
  'dest',
  'target',
  'root',
]

const Network = z
  .strictObject({
    mode: z.enum(['deny_all', 'allowlist']).default('deny_all'),
    allow: list(
      Text.max(2048).refine((entry) => typeof originOf(entry) !== 'string', 'it is no plainly spelled origin'),
    )
      .default([])
      .describe('Origins as scheme://host[:port][/path]; a leading *. stands for any subdomain. Allowlist mode only.'),
    queries: z
      .enum(['ask', 'allow'])
      .default('ask')
      .describe('A query can carry data to a listed origin: ask a person, or let it pass.'),
  })
  .refine(({ mode, allow }) => mode === 'allowlist' || allow.length === 0, {
    path: ['allow'],
    error: 'only mode "allowlist" has a list',
  })

// An operation without scope counts as unknown and an unknown word as `block`, so neither stops the policy from loading.
const Operation = z.strictObject({
  scope: Text.optional(),
  decision: Text.describe('allow, require_approval or block; any other word blocks.'),
})

const Fields = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1).default(1),
  sandbox_root: Path.describe('The folder that the agent works in; a relative one starts at the folder of this file.'),
  protected_paths: list(Path).describe('Never read, written or reached by a walk; need not exist.'),
  writable_dirs: list(Path).describe('Writes below these run without asking.'),
  shell_allowlist: list(BareName).describe('Programs that run when their grammar accepts the words.'),
  shell_forbidden_args: z.record(BareName, list(Text)).default({}).describe('Words that a program is not given.'),
  shell_ask: list(BareName).default([]).describe('Programs that a person is asked about, call by call.'),
  shell_exact: z
    .array(z.array(z.string().refine(hasNoNul, 'it holds a NUL')).min(1))
    .default([])
    .describe('Whole commands, word by word, that run as they are.'),
  network: Network.default({ mode: 'deny_all', allow: [], queries: 'ask' }),
  mcp_registry: z.record(Text, list(Text)).default({}).describe('The tools of each MCP server that may be called.'),
  mcp_path_arguments: list(Text).default(PATH_ARGUMENTS).describe('Names of arguments that always hold a path.'),
  mcp_text_arguments: z
    .record(Text, z.record(Text, list(Text)))
    .default({})
    .describe('By server and tool: arguments that are text and never opened as a file. Secrets are still looked for.'),
  mcp_roots: z.record(Text, Path).default({}).describe('Where relative paths of a server start.'),
  mcp_resources: list(Text).default([]).describe('Servers whose resources may be read.'),
  mcp_relay_methods: list(Text).default([]).describe('Further JSON-RPC methods that a proxy passes on.'),
  protected_names: list(NameGlob).default([]).describe('Patterns (* ? [...]) for names below sandbox_root.'),
  secret_files: list(Path).default([]).describe('Protected, and their values never leave in any argument.'),
  known_hard_links: list(Path).default([]).describe('Folders whose files may have a second name elsewhere.'),
  apis: z.record(Text, z.record(Text, Operation)).default({}),
  approval_timeout_sec: z.int().min(1).max(86_400).default(30),
  audit: z.strictObject({ verbose: z.boolean().default(false) }).default({ verbose: false }),
})

/** A firewall policy, as its file holds it. Closed: a key that is not known would be protection that is not there. */
export const PolicySchema = Fields.superRefine((policy, context) => {
  if (/^\/+(?:\.{0,2}\/*)*$/.test(policy.sandbox_root)) {
    context.addIssue({ code: 'custom', path: ['sandbox_root'], message: 'the whole disk is no sandbox' })
  }
  policy.shell_ask.forEach((name, index) => {
    if (!policy.shell_allowlist.includes(name)) return
    context.addIssue({ code: 'custom', path: ['shell_ask', index], message: 'this program is on shell_allowlist too' })
  })
})

/** A checked policy with its defaults filled in. Paths are as the file spells them. */
export type Policy = z.output<typeof PolicySchema>
/** A policy as a person writes it. */
export type PolicyInput = z.input<typeof PolicySchema>
