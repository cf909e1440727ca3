/** False for a number that has lost digits on the way, so that it may be the id of another record. */
export const isExact = (value: number): boolean => Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER

/** True when a number anywhere in a value tree is not exact. Counts no stack: the depth is not known to be bounded. */
export function holdsInexact(value: unknown): boolean {
  const ahead: unknown[] = [value]
  while (ahead.length > 0) {
    const next = ahead.pop()
    if (typeof next === 'number' && !isExact(next)) return true
    if (typeof next !== 'object' || next === null) continue
    for (const member of Object.values(next)) ahead.push(member)
  }
  return false
}
