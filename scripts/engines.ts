// Says which engines that are not ours this machine has, and installs with Go those that Go can install: npm run engines
import { CERBOS_HOW, CERBOS_VERSION, findCerbos } from './cerbos-server.ts'
import { obtainOpa, OPA_VERSION } from './opa-server.ts'
import { obtainOpenfga, OPENFGA_DOCKER, openfgaVersion } from './openfga-binary.ts'
import { runScript } from './run-script.ts'

await runScript('engines', () => {
  const say = (sentence: string): void => {
    console.error(`engines: ${sentence}`)
  }
  const openfga = obtainOpenfga(say)
  const version = openfga === undefined ? undefined : openfgaVersion(openfga)
  const found = [
    { name: `OpenFGA ${version ?? ''}`.trim(), binary: openfga, how: `Install Go, or use Docker: ${OPENFGA_DOCKER}` },
    { name: `OPA ${OPA_VERSION}`, binary: obtainOpa(say), how: 'Install Go, or set OPA_BIN.' },
    { name: `Cerbos ${CERBOS_VERSION}`, binary: findCerbos(), how: CERBOS_HOW },
  ]
  for (const { name, binary, how } of found) console.log(`${name}: ${binary ?? `not here. ${how}`}`)
  if (found.some(({ binary }) => binary === undefined)) process.exitCode = 1
  return Promise.resolve()
})
