import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

/** Gives up the optimized caller of the engine while the engine runs, from a getter that the engine reads. */
const GIVES_UP_OPTIMIZED_CODE = `
const { loadCedar } = await import('./dist/adapters/pdp/cedar-engine.js');
const { checkParsePolicySet: parse } = await loadCedar();
let now = false;
const policies = () => ({ get staticPolicies() { if (now) %DeoptimizeFunction(parse); return ''; } });
%PrepareFunctionForOptimization(parse);
for (let i = 0; i < 50; i++) parse(policies());
%OptimizeFunctionOnNextCall(parse);
parse(policies());
now = true;
console.log(parse(policies()).type);
`

describe("Cedar's engine", () => {
  it('survives that V8 gives up the optimized code that called it', () => {
    const args = ['--allow-natives-syntax', '--input-type=module', '--eval', GIVES_UP_OPTIMIZED_CODE]
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('success\n')
  })
})
