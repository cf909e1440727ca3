import { BANKS } from '../../src/canbank/banks.ts'
import { PDP_KINDS } from '../../adapters/pdp/kinds.ts'
import { createWorld } from '../../src/world.io.ts'
import { startIndykite } from '../../standins/indykite.ts'
import { describePdp } from './pdp.contract.ts'

describePdp('stand-in', async () => {
  const world = createWorld()
  const server = await startIndykite({ bank: BANKS.canbank, clientKey: 'key-1' })
  const pdp = PDP_KINDS.standin({ AUTHZEN_PDP_CLIENT_KEY: 'key-1', standinUrl: server.url }, world)
  return {
    pdp,
    close: async () => {
      await world.close()
      await server.close()
    },
  }
})
