import type { ProbeResult } from '../../adapters/hosts/probe-result.ts'
import { openDoctor, type DoctorParts, type OpenDoctor } from '../compose/doctor.io.ts'
import { readSettingsWithSources, type Settings } from '../config.io.ts'
import { visibleJson, visibleLine } from '../core/visible.ts'
import { columns } from './columns.io.ts'
import { clockCheck, watchClock } from './doctor-clock.ts'
import { programChecks, runtimeCheck, settingFailure } from './doctor-program.io.ts'
import { servicesOf, unasked } from './doctor-places.io.ts'
import { askService } from './doctor-services.ts'
import {
  closingLine,
  diagnosisJson,
  isSound,
  listed,
  probeSays,
  settingChecks,
  unsetLine,
  type Check,
  type Diagnosis,
} from './doctor.ts'
import { Unverified } from './failure.io.ts'
import { hanging } from './hanging.ts'
import { paint, print, tell } from './output.io.ts'

/** The flags of `doctor`. */
export interface DoctorOptions {
  readonly pdp?: string | undefined
  readonly json?: boolean | undefined
  /** Lists the settings that are not set too. @defaultValue false */
  readonly all?: boolean | undefined
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
    print(
      options.json === true ? visibleJson(diagnosisJson(diagnosis)) : diagnosisText(diagnosis, options.all === true),
    )
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

/** The findings for a person, as wide as the terminal. */
export function diagnosisText(diagnosis: Diagnosis, all: boolean): string {
  const { shown, unset } = listed(diagnosis, all)
  const section = (name: Check['section']): readonly Check[] => shown.checks.filter((check) => check.section === name)
  const sections = [
    { title: 'program', lines: aligned(section('program').map(checkRow)) },
    { title: 'settings', lines: [...section('settings').map(settingLine), ...unsetLines(unset)] },
    { title: 'services', lines: aligned(section('services').map(checkRow)) },
    { title: 'probes', lines: aligned(shown.probes.map(probeRow)) },
  ]
  const drawn = sections.filter(({ lines }) => lines.length > 0)
  return [...drawn.map(({ title, lines }) => [paint.bold(title), ...lines].join('\n')), closingLine(shown)].join('\n\n')
}

const unsetLines = (unset: number): readonly string[] => (unset === 0 ? [] : [hanging('', unsetLine(unset), columns())])

interface Row {
  readonly state: Check['state']
  readonly name: string
  readonly text: string
}

const checkRow = ({ state, name, says, fix }: Check): Row => ({
  state,
  name: visibleLine(name),
  text: fix === undefined || state === 'ok' ? says : `${says}. ${fix.replace(/[^.!?]$/, '$&.')}`,
})

const probeRow = (probe: ProbeResult): Row => ({
  state: probe.ok ? 'ok' : 'fail',
  name: visibleLine(probe.name),
  text: probeSays(probe),
})

const MARKS: Readonly<Record<Check['state'], string>> = {
  ok: paint.green('✓'),
  warn: paint.yellow('!'),
  fail: paint.red('✗'),
}

/** Names in a column, and what is said of each beside it. */
function aligned(rows: readonly Row[]): readonly string[] {
  const width = Math.max(0, ...rows.map(({ name }) => name.length))
  return rows.map(({ state, name, text }) => hanging(`${MARKS[state]} ${name.padEnd(width)}  `, text, columns()))
}

const settingLine = ({ state, name, source = '', says }: Check): string =>
  hanging(`${MARKS[state]} `, `${name} = ${says} (${source})`, columns())
