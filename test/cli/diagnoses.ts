import { ENGINES, type Check, type Diagnosis } from '../../src/cli/doctor.ts'

const check = (section: Check['section'], name: string, state: Check['state'], says: string, fix?: string): Check => ({
  ...{ section, name, state, says },
  ...(fix === undefined ? {} : { fix }),
})

/** Nothing failed. */
export const SOUND: Diagnosis = {
  checks: [
    check('program', 'Node', 'ok', `20.20.2 (${ENGINES})`),
    { ...check('settings', 'INTENT_AGENT_TIMEOUT_MS', 'ok', '15000'), source: 'default' },
    { ...check('settings', 'MODEL_API_KEY', 'ok', 'set (hidden)'), source: 'environment' },
    check('services', 'PDP', 'ok', 'stand-in at http://127.0.0.1:40000: AuthZEN, several evaluations at once, 4 ms'),
    check('services', 'clock', 'warn', '12 seconds behind the issuer', 'Synchronize the clock of this machine (NTP).'),
  ],
  probes: [
    { name: 'canary', tries: 'a permitted call', ran: true, blockedBy: null, ok: true },
    {
      name: 'skip-permission',
      tries: 'a tool that says that it needs no permission',
      ran: false,
      blockedBy: 'permission handler: pdp.denied',
      ok: true,
    },
  ],
}

/** Several things failed, and one ran. */
export const UNSOUND: Diagnosis = {
  checks: [
    check('program', 'audit folder', 'fail', '/x: it cannot be \u001b[31mwritten', 'Choose another place'),
    check('services', 'PDP', 'fail', 'https://pdp.example.com: cannot be reached, 9 ms', 'Start it.'),
  ],
  probes: [
    { name: 'shell', tries: 'the shell', ran: true, blockedBy: null, ok: false, says: 'Nothing stopped it.' },
    { name: 'mcp', tries: 'an MCP tool', ran: false, blockedBy: null, ok: false, says: 'Nothing is proven.' },
  ],
}
