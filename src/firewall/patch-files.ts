/** The files that a patch names, or why it cannot be checked. */
type PatchFiles =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'malformed' | 'unsupported'; readonly detail: string }

/** With blanks before and inside it, as a reader takes it that trims each line first; those include a few controls. */
const HEADER = /^[\s\x1c-\x1f\x85]*\*\*\*\s*(?:(?:Add|Delete|Update)\s+File|Move\s+to)\s*: ?(.*)$/is
const ENVIRONMENT = /^[\s\x1c-\x1f\x85]*\*\*\*\s*Environment\s+ID\s*:/i

/**
 * The files of an apply_patch text. Lines end at LF or CRLF only: a reader that also splits at other separators checks
 * half a name. Each name is given as written and trimmed, because hosts differ. Spec: section 11; 15, number 38.
 */
export function patchFiles(patch: string): PatchFiles {
  const lines = patch.split(/\r?\n/)
  if (lines.some((line) => ENVIRONMENT.test(line))) {
    return { kind: 'unsupported', detail: 'the patch names another environment' }
  }
  const paths = lines.flatMap((line) => {
    const name = HEADER.exec(line)?.[1]
    return name === undefined ? [] : [name, name.trim()]
  })
  if (paths.length === 0) return { kind: 'malformed', detail: 'the patch names no file' }
  return { kind: 'files', paths: [...new Set(paths)] }
}
