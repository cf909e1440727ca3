import { setFlagsFromString } from 'node:v8'
import type { CedarEngine } from './cedar-model.ts'

/**
 * Cedar's engine. Compiling it takes a tenth of a second, so it is loaded only by what decides with it.
 *
 * V8 11 (Node 20) aborts the whole process when it gives up optimized code while a call that it inlined into
 * WebAssembly is still running and returns a reference, as every call of this engine does. So such calls are not inlined.
 */
export async function loadCedar(): Promise<CedarEngine> {
  if (process.versions.v8.startsWith('11.')) setFlagsFromString('--no-turbo-inline-js-wasm-calls')
  return import('@cedar-policy/cedar-wasm/nodejs')
}
