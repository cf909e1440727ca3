import { PDP_KINDS } from '../../adapters/pdp/kinds.ts'
import { CERBOS_HOW, findCerbos, startCerbos } from '../../scripts/cerbos-server.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import { createWorld } from '../../src/world.io.ts'
import { describeEngine } from './engines.ts'
import { describePdp } from './pdp.contract.ts'

describeEngine('Cerbos', findCerbos(), CERBOS_HOW, (binary) => {
  describePdp('any AuthZEN PDP, here Cerbos', async () => {
    const world = createWorld()
    const server = await startCerbos({ binary, bank: BANKS.canbank })
    return {
      pdp: PDP_KINDS.authzen({ AUTHZEN_PDP_URL: server.url }, world),
      close: async () => {
        await world.close()
        await server.close()
      },
    }
  })
})
