import { describe, expect, it } from 'vitest'
import { readLine, type DecideLine } from '../../src/cli/decide.ts'
import { advance, claimCallId, newSession, openSessions } from '../../src/cli/decide-session.ts'
import { line } from './calls.ts'

const read = (fields: Readonly<Record<string, unknown>>): DecideLine => {
  const found = readLine(line(fields)).line
  if (!found.ok) throw new Error(found.reason)
  return found.value
}
const call = (id: string, args = {}) => ({ id, kind: 'custom-tool' as const, tool: 't', args })

describe('the sessions of decide', () => {
  it('are found again, and a new one beyond the limit is refused while the known ones go on', () => {
    const sessionOf = openSessions(2)
    const first = sessionOf('a')
    expect(sessionOf('b')).not.toBe(first)
    expect([sessionOf('c'), sessionOf('a') === first]).toEqual([undefined, true])
  })

  it('keep 100,000 sessions', () => {
    const sessionOf = openSessions()
    for (let n = 0; n < 100_000; n++) sessionOf(String(n))
    expect([sessionOf('one more'), sessionOf('7')?.turn]).toEqual([undefined, 0])
  })

  it('take 10,000 calls in a turn, refuse the next, and know the earlier ones', () => {
    const session = newSession()
    advance(session, read({ turn: 1 }))
    for (let n = 0; n < 10_000; n++) expect(claimCallId(session, call(String(n)))).toEqual(call(String(n)))
    expect(claimCallId(session, call('next'))).toMatchObject({ code: 'request.invalid' })
    // The identical call again is a call of its own.
    expect(claimCallId(session, call('7'))).toEqual({ ...call('7'), id: '7 (2)' })
    expect(claimCallId(session, call('7', { other: 1 }))).toEqual({ code: 'permit.call_id_reused' })
    advance(session, read({ turn: 2 }))
    expect(claimCallId(session, call('next'))).toEqual(call('next'))
  })

  it('keep digests only, so that a long message or argument takes no room', () => {
    const session = newSession()
    advance(session, read({ message: 'm'.repeat(100_000) }))
    claimCallId(session, call('i'.repeat(100_000), { x: 'a'.repeat(100_000) }))
    expect(JSON.stringify([session.message, ...session.calls]).length).toBeLessThan(200)
  })
})
