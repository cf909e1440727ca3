import { describe, it } from 'vitest'

/**
 * A suite that needs somebody else's server. Without it the suite is left out and says how to get it; in CI that is a
 * failure, because there every engine has to be tried.
 */
export function describeEngine<Engine>(
  title: string,
  engine: Engine | undefined,
  howToGet: string,
  suite: (engine: Engine) => void,
): void {
  if (engine !== undefined) {
    describe(title, () => {
      suite(engine)
    })
    return
  }
  const reason = `${title}: left out, the engine is not here. ${howToGet}`
  if (process.env['CI'] === undefined || process.env['CI'] === '') {
    console.warn(reason)
    describe.skip(reason, () => {
      it('is left out', () => undefined)
    })
    return
  }
  describe(title, () => {
    it('has its engine', () => {
      throw new Error(reason)
    })
  })
}
