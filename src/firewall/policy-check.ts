import { posix } from 'node:path'
import { getDomain, parse } from 'tldts'
import type { Disk } from './disk.ts'
import { fold } from './fold.ts'
import { isAtOrBelow, walk } from './paths.ts'
import { COMMON_SETTINGS } from './policy-init.ts'
import type { Policy } from './policy.ts'
import { weakValues } from './secret-values.ts'
import { isAddress, originOf } from './url.ts'

/** Something in a loadable policy that may not do what its author thinks. */
export interface PolicyWarning {
  /** The key it is about. */
  readonly key: string
  readonly says: string
}

/** What a check looks at beside the policy. */
interface CheckGround {
  /** The physical root of the sandbox. */
  readonly root: string
  readonly disk: Disk
  /** True for a program whose words the firewall understands. */
  readonly hasGrammar: (program: string) => boolean
}

const MAX_SECRET_BYTES = 1024 * 1024
const DECISIONS = new Set(['allow', 'require_approval', 'block'])

/** Everything in a policy that deserves a second look, in the order of its keys. Spec: sections 3, 5 and 15. */
export function checkPolicy(policy: Policy, ground: CheckGround): readonly PolicyWarning[] {
  return [
    ...missingPaths(policy, ground),
    ...writableFolders(policy, ground),
    ...programs(policy, ground),
    ...repositories(policy, ground),
    ...origins(policy),
    ...servers(policy, ground),
    ...secrets(policy, ground),
    ...operations(policy),
  ]
}

const warn = (key: string, says: string): PolicyWarning => ({ key, says })

function missingPaths(policy: Policy, { root, disk }: CheckGround): readonly PolicyWarning[] {
  const keys = ['protected_paths', 'writable_dirs', 'secret_files'] as const
  return keys.flatMap((key) =>
    policy[key].flatMap((path) => {
      const found = walk(path, root, { disk, root })
      const isThere = found.kind === 'found' && found.entry !== undefined
      return isThere || COMMON_SETTINGS.includes(path) ? [] : [warn(key, `${path} does not exist`)]
    }),
  )
}

function writableFolders(policy: Policy, { root, disk }: CheckGround): readonly PolicyWarning[] {
  return policy.writable_dirs.flatMap((path) => {
    const found = walk(path, root, { disk, root })
    if (found.kind === 'refused') return [warn('writable_dirs', `${path}: ${found.detail}`)]
    if (found.path === root) return [warn('writable_dirs', `${path} is the whole sandbox`)]
    if (!isAtOrBelow(found.path, root)) {
      return [warn('writable_dirs', `${path} is outside the sandbox, so nothing in it is writable`)]
    }
    return []
  })
}

function programs(policy: Policy, { hasGrammar }: CheckGround): readonly PolicyWarning[] {
  const known = new Set([...policy.shell_allowlist, ...policy.shell_ask, ...policy.shell_exact.map(([name]) => name)])
  const unread = policy.shell_allowlist.filter((name) => !hasGrammar(name))
  const idle = Object.keys(policy.shell_forbidden_args).filter((name) => !known.has(name))
  const local = policy.shell_exact.flatMap(([name = '']) => (name.includes('/') && !name.startsWith('/') ? [name] : []))
  return [
    ...unread.map((name) => warn('shell_allowlist', `${name} has no grammar, so a person is asked as for shell_ask`)),
    ...idle.map((name) => warn('shell_forbidden_args', `${name} is granted nowhere`)),
    ...local.map((name) =>
      warn('shell_exact', `${name} is a file of the sandbox: whoever writes it decides what runs`),
    ),
  ]
}

/** More folders than this are not looked through for repositories. */
const MAX_FOLDERS = 1000

/** git runs what its configuration names: hooks, filters, monitors. Spec: weaknesses 4 and 20. */
function repositories(policy: Policy, ground: CheckGround): readonly PolicyWarning[] {
  if (!policy.shell_allowlist.includes('git')) return []
  const isCovered = coverage(policy, ground.root)
  return repositoriesIn(ground).flatMap((folder) =>
    ['.git/config', '.git/hooks']
      .map((name) => posix.join(folder, name))
      .filter((path) => !isCovered(path))
      .map((path) => warn('shell_allowlist', `git may run what ${path} names: put it into protected_paths`)),
  )
}

/** The sandbox itself, whether or not it is a repository yet, and the repositories of its folders, two levels down. */
function repositoriesIn({ root, disk }: CheckGround): readonly string[] {
  const foldersIn = (folder: string): readonly string[] =>
    (disk.readdir(posix.join(root, folder)) ?? [])
      .filter((name) => name !== 'node_modules' && !name.startsWith('.'))
      .map((name) => posix.join(folder, name))
      .filter((path) => disk.lstat(posix.join(root, path))?.kind === 'directory')
      .slice(0, MAX_FOLDERS)
  const first = foldersIn('')
  const all = [...first, ...first.flatMap(foldersIn)].slice(0, MAX_FOLDERS)
  return ['', ...all.filter((folder) => disk.lstat(posix.join(root, folder, '.git')) !== undefined).sort()]
}

/** True for a path below the root that the policy protects by path or by a plain name. */
function coverage({ protected_paths, protected_names }: Policy, root: string): (path: string) => boolean {
  const paths = protected_paths.map((path) => fold(posix.resolve(root, path)))
  const names = new Set(protected_names.map(fold))
  return (path) =>
    paths.some((each) => isAtOrBelow(fold(posix.join(root, path)), each)) ||
    path.split('/').some((name) => names.has(fold(name)))
}

function origins(policy: Policy): readonly PolicyWarning[] {
  const { mode, allow, queries } = policy.network
  const general = queries === 'allow' && mode === 'allowlist' ? ['queries can carry data to every listed origin'] : []
  const empty = mode === 'allowlist' && allow.length === 0 ? ['the list is empty, so nothing is reachable'] : []
  const each = allow.flatMap((entry) => aboutOrigin(entry).map((says) => `${entry}: ${says}`))
  return [...general, ...empty, ...each].map((says) => warn('network', says))
}

function aboutOrigin(entry: string): readonly string[] {
  const origin = originOf(entry)
  if (typeof origin === 'string') return [origin]
  const { scheme, host, isWildcard } = origin
  const suffix = parse(host, { allowPrivateDomains: true })
  const isShared =
    isWildcard && (suffix.publicSuffix === host || getDomain(host, { allowPrivateDomains: true }) === null)
  return [
    ...(scheme === 'http' ? ['plain http can be read and changed on the way'] : []),
    ...(isAddress(host) ? ['an address instead of a name'] : []),
    ...(isShared ? ['anybody can register a name below it'] : []),
    ...(host.split('.').some((label) => label.startsWith('xn--')) ? ['a name with letters that look alike'] : []),
  ]
}

function servers(policy: Policy, { root }: CheckGround): readonly PolicyWarning[] {
  const registry = policy.mcp_registry
  const joined = Object.entries(registry).flatMap(([server, tools]) => tools.map((tool) => `${server}-${tool}`))
  const ambiguous = new Set(joined.filter((name, index) => joined.indexOf(name) !== index))
  const unknown = [...policy.mcp_resources, ...Object.keys(policy.mcp_roots)].filter(
    (name) => !Object.hasOwn(registry, name),
  )
  const beyond = Object.entries(policy.mcp_roots).filter(([, path]) => !isAtOrBelow(posix.resolve(root, path), root))
  return [
    ...[...ambiguous].map((name) => warn('mcp_registry', `${name} stands for two tools, so it is refused`)),
    ...unknown.map((name) => warn('mcp_registry', `${name} has no registered tool`)),
    ...beyond.map(([name]) =>
      warn('mcp_roots', `the root of ${name} is outside the sandbox, so its relative paths are refused`),
    ),
  ]
}

function secrets(policy: Policy, { root, disk }: CheckGround): readonly PolicyWarning[] {
  return policy.secret_files.flatMap((path) => {
    const found = walk(path, root, { disk, root })
    if (found.kind === 'refused' || found.entry === undefined) return []
    const bytes = disk.read(found.path, MAX_SECRET_BYTES)
    if (bytes === undefined) {
      return [warn('secret_files', `${path} is no readable file of at most 1 MiB: every call is refused`)]
    }
    return weakValues(new TextDecoder().decode(bytes)).map(({ key }) =>
      warn('secret_files', `${path}: the value of ${key} is too short or too common to be looked for`),
    )
  })
}

function operations(policy: Policy): readonly PolicyWarning[] {
  return Object.entries(policy.apis).flatMap(([audience, entries]) =>
    Object.entries(entries).flatMap(([operation, { scope, decision }]) => [
      ...(scope === undefined ? [warn('apis', `${audience} ${operation} has no scope, so it counts as unknown`)] : []),
      ...(DECISIONS.has(decision)
        ? []
        : [warn('apis', `${audience} ${operation}: ${JSON.stringify(decision)} blocks`)]),
    ]),
  )
}
