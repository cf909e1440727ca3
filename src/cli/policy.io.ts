import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { SettingError } from '../core/setting-error.ts'
import { realDisk } from '../firewall/disk.io.ts'
import { openSandbox } from '../firewall/places.ts'
import { checkPolicy, type PolicyWarning } from '../firewall/policy-check.ts'
import { initialPolicy } from '../firewall/policy-init.ts'
import { problemLine, readPolicy } from '../firewall/policy-text.ts'
import type { Policy } from '../firewall/policy.ts'
import { hasGrammar } from '../firewall/shell/read-argv.ts'
import { columns } from './columns.io.ts'
import { Unverified } from './failure.io.ts'
import { hanging } from './hanging.ts'
import { paint, print, printJson, tell } from './output.io.ts'

const NAME = 'intent-gate.policy.json'
const MAX_BYTES = 1024 * 1024

/** The flags of `policy check`. */
export interface PolicyCheckOptions {
  readonly json?: boolean
  /** Warnings are a failure too. */
  readonly strict?: boolean
}

/** `intent-gate policy check FILE`: what is wrong with a policy, and what may not do what its author thinks. */
export function policyCheckCommand(file: string, { json, strict }: PolicyCheckOptions): void {
  const text = readPolicyFile(file)
  const reading = readPolicy(text)
  if (!reading.ok) {
    throw new SettingError(
      file,
      problemsText(reading.problems.map(problemLine)),
      'Correct it; unknown keys are refused',
    )
  }
  const warnings = warningsOf(reading.policy, file, reading.located)
  const sha256 = createHash('sha256').update(text).digest('hex')
  if (json === true) printJson({ policy: file, sha256, warnings })
  else show(sha256, warnings)
  if (strict === true && warnings.length > 0) throw new Unverified()
}

/** Problems that are told at once; whoever has more corrects these first. */
const TOLD = 8

const problemsText = (problems: readonly string[]): string =>
  [...problems.slice(0, TOLD), ...(problems.length > TOLD ? [`and ${problems.length - TOLD} more`] : [])].join('; ')

function show(sha256: string, warnings: readonly PolicyWarning[]): void {
  const wide = columns()
  for (const { key, says } of warnings) print(hanging(`${paint.yellow('!')} ${key} `, says, wide))
  print(hanging(`${paint.green('✓')} `, `the policy loads, with ${warnings.length} warnings`, wide))
  print(hanging('sha256 ', sha256, wide))
}

/** @throws SettingError with the place in the file when the sandbox cannot be opened. */
function warningsOf(policy: Policy, file: string, located: Located): readonly PolicyWarning[] {
  const folder = dirname(resolve(file))
  try {
    const sandbox = openSandbox(policy, { disk: realDisk, folder, home: homedir(), protect: [resolve(file)] })
    return checkPolicy(policy, { root: sandbox.root, disk: realDisk, hasGrammar })
  } catch (cause) {
    if (cause instanceof SettingError) throw new SettingError(file, located(cause), cause.fix)
    throw cause
  }
}

type Located = (fault: SettingError) => string

function readPolicyFile(file: string): string {
  const fix = 'Name a readable policy file, or make one with intent-gate policy init'
  try {
    const stats = statSync(file)
    if (!stats.isFile()) throw new SettingError(file, 'is no file', fix)
    if (stats.size > MAX_BYTES) throw new SettingError(file, 'is over 1 MiB', fix)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file))
  } catch (cause) {
    if (cause instanceof SettingError) throw cause
    const code = cause instanceof TypeError ? 'not UTF-8' : ((cause as NodeJS.ErrnoException).code ?? 'unknown error')
    throw new SettingError(file, `cannot be read (${code})`, fix)
  }
}

/** The flags of `policy init`; without `out` the policy lies in the folder that it is for. */
export interface PolicyInitOptions {
  readonly out?: string
}

/** `intent-gate policy init [DIR]`: writes a first policy for a folder, and tells where. */
export function policyInitCommand(folder: string, options: PolicyInitOptions): void {
  const file = writeFirstPolicy(folder, options)
  print(file)
  tell(`Read it, then: intent-gate policy check ${file}`, 'dim')
}

/**
 * Writes a first policy for a folder; never over a file that is there. Gives the path of the policy.
 * @throws SettingError when the folder is none, or the file exists or cannot be written.
 */
export function writeFirstPolicy(folder: string, { out }: PolicyInitOptions): string {
  const root = resolve(folder)
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new SettingError('DIR', `${folder} is no folder`, 'Name the folder that the agent works in')
  }
  const file = resolve(out ?? join(root, NAME))
  const entries = readdirSync(root, { withFileTypes: true })
  const namesOf = (wanted: (entry: (typeof entries)[number]) => boolean): readonly string[] =>
    entries.filter(wanted).map(({ name }) => name)
  const policy = initialPolicy({
    folders: namesOf((entry) => entry.isDirectory()),
    files: namesOf((entry) => entry.isFile()),
  })
  const sandbox = relative(dirname(file), root)
  write(file, JSON.stringify({ ...policy, sandbox_root: sandbox === '' ? '.' : sandbox }, undefined, 2))
  return file
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, `${text}\n`, { flag: 'wx', mode: 0o644 })
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    const problem = code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`
    throw new SettingError(file, problem, 'Name another file with --out')
  }
}
