import { z } from 'zod'
import { unreachable } from '../core/unreachable.ts'
import { patchFiles } from './patch-files.ts'
import { anything, fields, malformed, Name, type Reader } from './reader.ts'
import type { Reach, Strange } from './request.ts'

const Many = z.union([Name.transform((path) => [path]), z.array(Name).min(1)])
/** Every name for a file is read, and all of them must pass. */
const PATHS = {
  path: Name.nullish(),
  paths: Many.nullish(),
  file_path: Name.nullish(),
  filePath: Name.nullish(),
  fileName: Name.nullish(),
}
const TEXTS = anything('old_str', 'new_str', 'old_string', 'new_string', 'replace_all', 'insert_line', 'insert_text')
const FILTERS = anything('type', 'output_mode', 'multiline', 'head_limit', '-A', '-B', '-C', '-i', '-n')
// Loose only so that what is not known can be looked at before it is refused. What is known beside the names (a range,
// a text) does not change which file is touched.
const Edit = z.looseObject({ ...PATHS, ...TEXTS })
const FileArguments = z.looseObject({
  ...PATHS,
  ...TEXTS,
  ...anything('command', 'description', 'view_range', 'forceReadLargeFiles'),
  ...anything('file_text', 'content', 'newFileContents', 'diff'),
  edits: z.array(Edit).nullish(),
})
const SearchArguments = z.looseObject({
  ...PATHS,
  ...FILTERS,
  ...anything('glob', 'description'),
  pattern: z.string().nullish(),
})

interface Naming {
  readonly path?: string | null | undefined
  readonly paths?: readonly string[] | null | undefined
  readonly file_path?: string | null | undefined
  readonly filePath?: string | null | undefined
  readonly fileName?: string | null | undefined
  readonly edits?: readonly Naming[] | null | undefined
}

function named(args: Naming): readonly string[] {
  const single = [args.path, args.file_path, args.filePath, args.fileName]
  const all = [...single, ...(args.paths ?? [])].filter((path) => typeof path === 'string')
  return [...all, ...(args.edits ?? []).flatMap(named)]
}

/** What stands under names that the shape does not have; nothing when there are none. */
function strangeIn(args: Naming, shape: z.ZodObject): { readonly strange?: Strange } {
  const unknownOf = (given: object, known: z.ZodObject): readonly unknown[] =>
    Object.entries(given).flatMap(([name, value]: [string, unknown]) =>
      Object.hasOwn(known.shape, name) ? [] : [[value]],
    )
  const found = [...unknownOf(args, shape), ...(args.edits ?? []).flatMap((edit) => unknownOf(edit, Edit))]
  return found.length === 0 ? {} : { strange: found.flat(3).filter(isText) }
}

const reads = (reach: Reach): Reader =>
  fields(FileArguments, (args, { cwd }) => {
    const paths = named(args)
    if (paths.length === 0) return malformed('path is missing')
    return { tool: 'fs.read', paths, reach, cwd, ...strangeIn(args, FileArguments) }
  })

/** Without a path, a search starts at the current folder. */
const search = (reach: Reach): Reader =>
  fields(SearchArguments, (args, { cwd }) => {
    if (args.pattern?.startsWith('-') === true) return malformed('the pattern would be read as an option')
    const paths = named(args)
    const strange = strangeIn(args, SearchArguments)
    return { tool: 'fs.read', paths: paths.length === 0 ? ['.'] : paths, reach, cwd, ...strange }
  })

/** What a pattern spells out before its first wildcard is a path too; behind it, nothing may go up. */
const glob = fields(SearchArguments, (args, { cwd }) => {
  const { pattern } = args
  if (pattern === undefined || pattern === null || pattern === '') return malformed('pattern is missing')
  if (/(?:^|[/{,(|\\])\.\.(?:$|[/},)|\\])/.test(pattern)) return malformed('the pattern leads upwards')
  const start = /^[^*?[{(!]*/.exec(pattern)?.[0] ?? ''
  const folder = start.slice(0, start.lastIndexOf('/') + 1)
  const paths = named(args)
  return {
    tool: 'fs.read',
    paths: [...(paths.length === 0 ? ['.'] : paths), ...(folder === '' ? [] : [folder])],
    reach: 'names',
    cwd,
    ...strangeIn(args, SearchArguments),
  }
})

const writes: Reader = fields(FileArguments, (args, { cwd }) => {
  const paths = named(args)
  if (paths.length === 0) return malformed('path is missing')
  return { tool: 'fs.write', paths, cwd, ...strangeIn(args, FileArguments) }
})

/** One tool for reading and writing; what is not plainly a look is a write. */
const editor: Reader = (call) => {
  const look = z.looseObject({ command: z.literal('view') }).safeParse(call.args)
  return look.success ? reads('names')(call) : writes(call)
}

const patch: Reader = (call) => {
  const text = z.union([Name, z.looseObject({ input: Name }), z.looseObject({ patch: Name })]).safeParse(call.args)
  if (!text.success) return malformed('the patch is missing')
  const files = patchFiles(
    typeof text.data === 'string' ? text.data : Object.values(text.data).filter(isText).join('\n'),
  )
  switch (files.kind) {
    case 'files':
      return { tool: 'fs.write', paths: files.paths, cwd: call.cwd }
    case 'malformed':
      return malformed(files.detail)
    case 'unsupported':
      return { tool: 'unsupported', detail: files.detail }
    default:
      return unreachable(files)
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Readers for the tools that read files, by name. */
export const READ_TOOLS: ReadonlyMap<string, Reader> = new Map([
  ['view', reads('names')],
  ['show_file', reads('names')],
  ['grep', search('search')],
  ['rg', search('tree')],
  ['glob', glob],
  // A native request does not say which tool reads, and it may be a search of the whole folder.
  ['read', reads('tree')],
])

/** Readers for the tools that write files, by name. */
export const WRITE_TOOLS: ReadonlyMap<string, Reader> = new Map([
  ...['create', 'edit', 'insert', 'str_replace', 'multi_edit', 'undo_edit', 'write'].map((name): [string, Reader] => [
    name,
    writes,
  ]),
  ['str_replace_editor', editor],
  ['apply_patch', patch],
])
