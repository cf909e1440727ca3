/**
 * One spelling for all names that some file system takes for the same: composed (NFC) and without case. Upper case comes
 * first, because it maps letters such as the long s and the Kelvin sign to the plain ones.
 */
export function fold(name: string): string {
  if (isAscii(name)) return name.toLowerCase()
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

/** True when no character needs more than seven bits. */
export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false
  return true
}
