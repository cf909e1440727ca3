import { readSettings } from '../config.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { type MutationFigures, mutationFigures, type NeighbourFigures } from '../runner/mutate-tally.ts'
import { Interrupted, Unverified } from './failure.io.ts'
import { interruptible } from './interrupt.io.ts'
import { judgeNeighbours, type PlayOptions } from './mutate-play.io.ts'
import { print, printJson, table, tell } from './output.io.ts'
import { loadScenarios } from './scenarios-files.io.ts'

export interface MutateOptions {
  readonly certificates: PlayOptions['certificates']
  readonly pdp?: string
  /** Whole numbers, as text. */
  readonly seed: string
  readonly atLeast: string
  readonly maxAccepted?: string
  readonly json?: boolean
}

/**
 * `scenarios mutate [file…]`: exit 1 only when more near-misses are accepted than `--max-accepted` allows.
 * @throws SettingError for a file or an option that cannot be used.
 */
export async function mutateCommand(files: readonly string[], options: MutateOptions): Promise<void> {
  const settings = readSettings({ PDP_KIND: options.pdp })
  const [seed, atLeast] = [wholeNumber('--seed', options.seed), wholeNumber('--at-least', options.atLeast)]
  const most = options.maxAccepted === undefined ? undefined : wholeNumber('--max-accepted', options.maxAccepted)
  const signal = interruptible()
  const report = (cause: unknown): void => {
    if (!signal.aborted) tell(`warning: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
  const play = { settings, certificates: options.certificates, atLeast, seed, report }
  const judged = await judgeNeighbours(loadScenarios(files), play, signal)
  if (signal.aborted) throw new Interrupted('interrupted')
  const figures = mutationFigures(judged)
  if (options.json === true) printJson({ mutate: 1, seed, figures, mutants: judged })
  else print(shown(figures, options, seed))
  if (most !== undefined && figures.all.accepted > most) throw new Unverified(`more than ${most} were accepted`)
}

function wholeNumber(option: string, given: string): number {
  if (/^\d{1,6}$/.test(given)) return Number(given)
  throw new SettingError(option, `"${given}" is not a whole number`, 'Give a whole number from 0 to 999999')
}

const HEAD = ['near-miss', 'put', 'accepted', 'without a prompt', 'refused as']

function shown({ all, kinds }: MutationFigures, { certificates }: MutateOptions, seed: number): string {
  const rows = Object.entries(kinds).map(([kind, figures]) => row(kind, figures))
  const how = `certificates ${certificates} · seed ${seed} · the person who is asked says yes to everything`
  return `${how}\n\n${table(HEAD, [...rows, row('all', all)])}`
}

const row = (kind: string, { mutants, accepted, unasked, refused }: NeighbourFigures): readonly string[] => [
  kind,
  ...[mutants, accepted, unasked].map(String),
  Object.entries(refused)
    .map(([code, count]) => `${code} ${count}`)
    .join(', '),
]
