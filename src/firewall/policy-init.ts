import type { PolicyInput } from './policy.ts'

/** What a folder holds, as far as a first policy needs to know. Paths are relative to it. */
interface FolderContents {
  readonly folders: readonly string[]
  readonly files: readonly string[]
}

/** Folders that hold a project's own work. */
const WORK = new Set(
  [
    'src',
    'lib',
    'app',
    'apps',
    'packages',
    'test',
    'tests',
    'spec',
    'docs',
    'doc',
    'examples',
    'components',
    'pages',
  ].concat(['normal', 'notes', 'content', 'internal', 'cmd', 'pkg']),
)
/** Settings of tools and agents: protected whether or not they exist. */
export const COMMON_SETTINGS = [
  '.env',
  '.envrc',
  '.mcp.json',
  '.claude',
  '.codex',
  '.github/hooks',
  '.git/config',
  '.git/hooks',
]
/** Names that usually hold a secret, wherever they are. */
const SECRET_NAMES = [
  '.env',
  '.env.*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  'id_rsa*',
  'id_ed25519*',
  '.netrc',
  '.pgpass',
].concat(['.npmrc', '.pypirc', 'credentials', 'credentials.*', '*_credentials.*', 'secrets.*', '*.kdbx'])
const READERS = [
  'ls',
  'cat',
  'head',
  'tail',
  'wc',
  'grep',
  'find',
  'sort',
  'uniq',
  'cut',
  'tr',
  'stat',
  'file',
  'du',
  'diff',
  'cmp',
].concat([
  'sha256sum',
  'md5sum',
  'pwd',
  'echo',
  'sed',
  'nl',
  'true',
  'false',
  'basename',
  'dirname',
  'date',
  'realpath',
  'which',
])
/** Files that show which programs a project is built with: a person is asked about each of their runs. */
const BUILDERS: Readonly<Record<string, readonly string[]>> = {
  'package.json': ['npm', 'npx', 'node'],
  'pnpm-lock.yaml': ['pnpm'],
  'yarn.lock': ['yarn'],
  'pyproject.toml': ['python3', 'pytest'],
  'requirements.txt': ['python3', 'pytest'],
  'go.mod': ['go'],
  'Cargo.toml': ['cargo'],
  Makefile: ['make'],
  'pom.xml': ['mvn'],
}
const DOTENV = /^\.env(?!\.(?:example|sample|template|dist)$)(?:\.[^/]+)?$/

/**
 * A first policy for a folder: reading is free apart from what usually holds secrets, its own work folders are writable,
 * programs that can do anything are asked about, the network is closed. Same folder, same policy.
 */
export function initialPolicy({ folders, files }: FolderContents): PolicyInput {
  const isRepository = folders.includes('.git')
  const builders = files.flatMap((name) => (Object.hasOwn(BUILDERS, name) ? (BUILDERS[name] ?? []) : []))
  const secretFiles = files.filter((name) => DOTENV.test(name) || /credentials[^/]*\.(?:txt|json|ini)$/i.test(name))
  return {
    version: 1,
    sandbox_root: '.',
    protected_paths: [...new Set([...COMMON_SETTINGS, ...secretFiles])].sort(),
    protected_names: SECRET_NAMES,
    secret_files: [...secretFiles].sort(),
    writable_dirs: folders.filter((name) => WORK.has(name)).sort(),
    shell_allowlist: isRepository ? [...READERS, 'git'] : READERS,
    shell_ask: [...new Set(builders)].sort(),
    network: { mode: 'deny_all' },
    ...(folders.includes('node_modules') ? { known_hard_links: ['node_modules'] } : {}),
  }
}
