import { PDP_KINDS } from '../../adapters/pdp/kinds.ts'
import { findOpa, startOpa } from '../../scripts/opa-server.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import { createWorld } from '../../src/world.io.ts'
import { describeEngine } from './engines.ts'
import { describePdp } from './pdp.contract.ts'

describeEngine('OPA', findOpa(), 'Install Go and run `npm run engine -- opa`, or set OPA_BIN.', (binary) => {
  describePdp('any AuthZEN PDP, here OPA', async () => {
    const world = createWorld()
    const server = await startOpa({ binary, bank: BANKS.canbank })
    return {
      pdp: PDP_KINDS.authzen({ AUTHZEN_PDP_URL: server.url }, world),
      close: async () => {
        await world.close()
        await server.close()
      },
    }
  })
})
