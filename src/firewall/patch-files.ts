/** The files that a patch names, or why it cannot be checked. */
type PatchFiles =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'malformed' | 'unsupported'; readonly detail: string }

const HEADER = /^\*\*\* (?:(?:Add|Delete|Update) File|Move to): (.*)$/s
const ENVIRONMENT = '*** Environment ID:'

/**
 * The files of an apply_patch text. Lines end at LF or CRLF only: a reader that also splits at other separators checks
 * half a name. Each name is given as written and trimmed, because hosts differ. Spec: section 11; 15, number 38.
 */
export function patchFiles(patch: string): PatchFiles {
  const lines = patch.split(/\r?\n/)
  if (lines.some((line) => line.startsWith(ENVIRONMENT))) {
    return { kind: 'unsupported', detail: 'the patch names another environment' }
  }
  const paths = lines.flatMap((line) => {
    const name = HEADER.exec(line)?.[1]
    return name === undefined ? [] : [name, name.trim()]
  })
  if (paths.length === 0) return { kind: 'malformed', detail: 'the patch names no file' }
  return { kind: 'files', paths: [...new Set(paths)] }
}
