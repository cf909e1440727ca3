// Each room and the rooms it may import. The list is the architecture; the rest spells it for dependency-cruiser.
const siblings = ['src/firewall', 'src/certificates', 'src/intent', 'src/pdp', 'src/approval', 'src/audit', 'src/login']
const rooms = {
  'src/core': [],
  ...Object.fromEntries(siblings.map((room) => [room, ['src/core']])),
  'src/gate': ['src/core', ...siblings],
  'src/canbank': ['src/core'],
  'src/domain': ['src/core'],
  'src/agentdojo': ['src/core', 'src/domain'],
  'src/runner': ['src/core'],
  'src/workspace': ['src/core', 'src/firewall'],
  'adapters/pdp': ['src/core', 'src/pdp'],
  'adapters/hosts': ['src/core', 'src/gate'],
  standins: ['src/core', 'src/canbank', 'src/pdp', 'src/intent'],
  'src/cli': [
    'src/core',
    'src/gate',
    'src/audit',
    'src/login',
    'src/runner',
    'src/agentdojo',
    'src/domain',
    'src/workspace',
    'src/firewall',
    'src/certificates',
    'src/approval',
    'adapters/hosts',
    'src/compose',
    'src/config.io.ts',
    'src/world.io.ts',
  ],
}
// Packages that touch nothing outside: any file may import them.
const purePackages =
  'node_modules/(zod|hono|jose|@cedar-policy|canonicalize|unbash|ipaddr.js|picomatch|tldts|wrap-ansi|string-width)/'
const folder = (name) => (name.endsWith('.ts') ? `^${name}$` : `^${name}/`)

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...Object.entries(rooms).map(([room, below]) => ({
      name: `${room} imports only what is below it`,
      severity: 'error',
      from: { path: folder(room) },
      to: { path: '^(src|adapters|standins|scripts|bench|test)/', pathNot: [room, ...below].map(folder) },
    })),
    ...['core', 'npm', 'local'].map((kind) => ({
      name: `only *.io.ts reaches the outside world (${kind})`,
      severity: 'error',
      from: { path: '^(src|adapters)/', pathNot: '\\.io\\.ts$' },
      to: {
        core: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|path|util|v8|zlib)$' },
        npm: { dependencyTypes: ['npm', 'npm-dev'], dependencyTypesNot: ['type-only'], pathNot: purePackages },
        local: { path: '\\.io\\.ts$' },
      }[kind],
    })),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
