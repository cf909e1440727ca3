import { execFileSync } from 'node:child_process'

/** Tests that run the bin or the packed library use dist/, so it is built from these very sources first. */
export function setup(): void {
  if (process.env['SKIP_BUILD'] === undefined) {
    execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
  }
}
