import { expect } from 'vitest'
import { PDP_KINDS, type PdpKind } from '../../adapters/pdp/kinds.ts'
import type { PdpSettings } from '../../adapters/pdp/settings.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { testWorld } from '../worlds.ts'

/** Opening the kind must fail, name the setting and say what to do, and never quote what is named `hidden`. */
export function expectSettingError(kind: PdpKind, settings: PdpSettings, setting: string, problem: string): void {
  let error: unknown
  try {
    void PDP_KINDS[kind](settings, testWorld())
  } catch (cause) {
    error = cause
  }
  expect(error).toBeInstanceOf(SettingError)
  expect(error).toMatchObject({ what: setting, problem: expect.stringContaining(problem) as string })
  expect((error as SettingError).fix).not.toBe('')
  expect(String(error)).not.toContain('hidden')
}
