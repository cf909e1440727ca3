import type { ProbeResult } from '../../adapters/hosts/probe-result.ts'
import { openDoctor, type DoctorParts, type OpenDoctor } from '../compose-doctor.io.ts'
import { readSettingsWithSources, type Settings } from '../config.io.ts'
import { clockCheck, watchClock } from './doctor-clock.ts'
import { programChecks, runtimeCheck, settingFailure } from './doctor-program.io.ts'
import { servicesOf, unasked } from './doctor-places.io.ts'
import { askService } from './doctor-services.ts'
import { closingLine, diagnosisJson, isSound, probeSays, settingChecks, type Check, type Diagnosis } from './doctor.ts'
import { Unverified } from './failure.io.ts'
import { paint, print, table, tell } from './output.io.ts'

export interface DoctorOptions {
  readonly pdp?: string | undefined
  readonly json?: boolean | undefined
  /** Of this program. */
  readonly version: string
}

/** `intent-gate doctor`: exit 1 when something failed, or ran that must be denied. */
export async function doctorCommand(options: DoctorOptions, parts: DoctorParts = {}): Promise<void> {
  const { settings, sources } = readSettingsWithSources({ PDP_KIND: options.pdp })
  const doctor = await openDoctor(settings, parts)
  try {
    const program = await programChecks(settings, options.version)
    const services = await serviceChecks(settings, doctor)
    const gate = await gateCheck(doctor, services)
    const { check, probes } = await probed(doctor)
    const diagnosis = {
      checks: [...program, gate, check, ...settingChecks({ ...settings, ...settings.ofTenants }, sources), ...services],
      probes,
    }
    print(options.json === true ? JSON.stringify(diagnosisJson(diagnosis)) : diagnosisText(diagnosis))
    if (!isSound(diagnosis)) throw new Unverified('doctor has found failures')
  } finally {
    await doctor.close()
  }
}

/** Says what is being done to whoever waits for it at a terminal. */
function progress(text: string): void {
  if (process.stderr.isTTY) tell(text, 'dim')
}

async function serviceChecks(settings: Settings, { world, standins }: OpenDoctor): Promise<readonly Check[]> {
  progress('asking the services')
  const watched = watchClock(world)
  const services = servicesOf(settings, standins)
  const checks = await Promise.all(
    services.map((service) => askService(service, service.speaks === 'openid' ? watched.world : world)),
  )
  return [...checks, ...unasked(settings), clockCheck(watched.aheadSeconds())]
}

/**
 * Whether `chat` could start.
 * @throws SettingError when it could not, and no service is to blame: then a setting is.
 */
async function gateCheck(doctor: OpenDoctor, services: readonly Check[]): Promise<Check> {
  try {
    await doctor.compose()
    return { section: 'program', name: 'gate', state: 'ok', says: 'can be put together' }
  } catch (cause) {
    if (services.every(({ state }) => state !== 'fail')) throw cause
    return settingFailure('gate', cause)
  }
}

/** A runtime that does not start is a finding, and then there is nothing to probe. */
async function probed(doctor: OpenDoctor): Promise<{ readonly check: Check; readonly probes: readonly ProbeResult[] }> {
  progress('starting a Copilot runtime for the probes')
  try {
    const opened = await doctor.openProbes(progress)
    const check = runtimeCheck({ sdk: opened.sdk, runtime: opened.runtime })
    const probes = await opened.run((tries) => {
      progress(`probing: ${tries}`)
    })
    return { check, probes }
  } catch (cause) {
    return { check: settingFailure('Copilot runtime', cause), probes: [] }
  }
}

/** The findings as tables that fit the terminal. */
export function diagnosisText(diagnosis: Diagnosis): string {
  const { checks, probes } = diagnosis
  const section = (name: Check['section']): readonly Check[] => checks.filter((check) => check.section === name)
  const tables = [
    { head: ['', 'program', ''], rows: section('program').map(checkRow) },
    { head: ['', 'setting', 'source', ''], rows: section('settings').map(settingRow) },
    { head: ['', 'service', ''], rows: section('services').map(checkRow) },
    { head: ['', 'probe', ''], rows: probes.map(probeRow) },
  ]
  const drawn = tables.filter(({ rows }) => rows.length > 0).map(({ head, rows }) => marked(head, rows))
  return [...drawn, closingLine(diagnosis)].join('\n\n')
}

const MARKS = { ok: '✓', warn: '!', fail: '✗' } as const

const checkRow = ({ state, name, says, fix }: Check): readonly string[] => [
  MARKS[state],
  name,
  fix === undefined || state === 'ok' ? says : `${says}. ${fix.replace(/[^.!?]$/, '$&.')}`,
]

const settingRow = ({ state, name, source = '', says }: Check): readonly string[] => [MARKS[state], name, source, says]

const probeRow = (probe: ProbeResult): readonly string[] => [
  MARKS[probe.ok ? 'ok' : 'fail'],
  probe.name,
  probeSays(probe),
]

const COLORS: Readonly<Record<string, (text: string) => string>> = {
  '✓': paint.green,
  '!': paint.yellow,
  '✗': paint.red,
}

/** A table makes visible what a terminal would obey, so its marks are colored once it is drawn. */
const marked = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  table(head, rows)
    .split('\n')
    .map((line) => line.trimEnd().replace(/^ ?[✓!✗]/u, (mark) => COLORS[mark.trim()]?.(mark) ?? mark))
    .join('\n')
