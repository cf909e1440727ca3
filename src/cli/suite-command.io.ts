import { Argument, type Command, Option } from 'commander'
import type { SuiteResult } from './suite-view.ts'

const SUITES = ['sanity', 'confidence'] as const
type SuiteName = (typeof SUITES)[number]

/** What `scenarios run` takes to play a suite in place of scenarios. */
export interface SuiteOption {
  readonly suite?: SuiteName
}

export const suiteOption = (): Option =>
  new Option('--suite <suite>', 'a published suite of certificates in place of scenarios; without a model').choices(
    SUITES,
  )

/** Adds `scenarios suite` to the commands of `scenarios`. */
export function addSuite(scenarios: Command): void {
  scenarios
    .command('suite')
    .description('a published suite of certificates, without a model; exit 1 when it does not come out as it must')
    .addArgument(new Argument('<suite>', 'which one').choices(SUITES))
    .option('--json', 'print the table as JSON')
    .addHelpText('after', '\nExample:\n  $ intent-gate scenarios suite sanity')
    .action(async (suite: SuiteName, options: { readonly json?: boolean }) => {
      await suiteCommand(suite, options)
    })
}

/**
 * `scenarios suite <suite>`: prints what the suite came to.
 * @throws Unverified when it does not come out as it must.
 */
export async function suiteCommand(suite: SuiteName, { json }: { readonly json?: boolean | undefined }): Promise<void> {
  const { print, printJson, table } = await import('./output.io.ts')
  const { Unverified } = await import('./failure.io.ts')
  const result = await PLAY[suite]()
  if (json === true) printJson({ suite, ...result })
  else print(`${table(result.head, result.rows)}\n\n${result.sum}`)
  if (!result.holds) throw new Unverified(`the ${suite} suite did not come out as it must`)
}

const PLAY: Record<SuiteName, () => Promise<SuiteResult>> = {
  sanity: async () => {
    const { runSanity } = await import('../certificates/suites/sanity.ts')
    const { sanityTable } = await import('./suite-view.ts')
    return sanityTable(runSanity())
  },
  confidence: async () => {
    const { runConfidence } = await import('../certificates/suites/confidence.ts')
    const { confidenceTable } = await import('./suite-view.ts')
    return confidenceTable(runConfidence())
  },
}
