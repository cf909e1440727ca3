import { SettingError } from '../core/setting-error.ts'
import { consume, giveBack } from './book.ts'
import type { CertificateOptions, Certificates } from './certificates.ts'
import { bindingOf, judgeAt, refusalKey, reserveAt, standsAt, type Desk } from './desk.ts'
import { digestOf, fingerprint } from './digest.ts'
import { issueMessage } from './issue-message.ts'
import { createSessions } from './sessions.ts'
import { certificateSettings } from './settings.ts'
import { createRegistry } from './versions.ts'

const MIN_KEY_LENGTH = 32

/**
 * Certificates in memory, for one gate process.
 * @throws SettingError when a setting is out of range or the key is too short.
 */
export function createCertificates(options: CertificateOptions): Certificates {
  const desk = openDesk(options)
  const { sessions } = desk
  return {
    mode: options.mode,
    issue: (message, tools) => {
      const { login, session } = message
      return issueMessage(desk, sessions.ownerOf(login, session), message, tools, bindingOf(desk, login, session))
    },
    judge: (call) => judgeAt(desk, call),
    stands: (call) => standsAt(desk, call),
    reserve: (call) => reserveAt(desk, call),
    settle: (call, outcome) => {
      settleAt(desk, call, outcome)
    },
    refused: (call, reason) => {
      const { refusals } = sessions.ownerOf(call.login, call.session)
      const times = refusals.add(call.turn, refusalKey(call), reason)
      return { times, stopAndAsk: times >= 2 }
    },
    saw: (id, tool, result) => {
      const session = sessions.open(id)
      if (tool.effect.untrustedOutput) session.tainted = true
      session.seen.add(tool.name, result)
    },
    tainted: (id) => sessions.at(id)?.tainted === true,
    revoke: (id) => {
      sessions.revoke(id)
    },
    endTurn: sessions.endTurn,
    forget: sessions.forget,
  }
}

function openDesk(options: CertificateOptions): Desk {
  const { mode, key } = options
  if (key.length < MIN_KEY_LENGTH) {
    throw new SettingError(
      'certificate key',
      `it is shorter than ${MIN_KEY_LENGTH} characters`,
      'use a random key, such as 32 bytes in hex',
    )
  }
  const settings = certificateSettings(options.settings)
  const salt = fingerprint(key, 'values')
  return {
    ...{ options, settings, salt },
    policy: digestOf({ mode, settings }),
    snapshotOf: createRegistry(),
    sessions: createSessions(salt, settings),
  }
}

function settleAt({ sessions }: Desk, call: Parameters<Certificates['settle']>[0], outcome: 'done' | 'not_run'): void {
  const uses = sessions.at(call.session)?.uses
  const use = uses?.get(call.id)
  if (uses === undefined || use === undefined) return
  uses.delete(call.id)
  if (outcome === 'done') consume(use.message, use.entry, call.id)
  else giveBack(use.entry, call.id)
}
