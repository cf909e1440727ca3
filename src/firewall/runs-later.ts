/** Folders whose files configure an agent, an editor, a repository or a build, anywhere below the root. */
const FOLDERS = new Set([
  ...['.git', '.github', '.gitlab', '.githooks', '.husky', '.circleci', '.buildkite', '.forgejo', '.gitea'],
  ...['.vscode', '.idea', '.zed', '.fleet', '.cursor', '.windsurf', '.devcontainer', '.direnv'],
  ...['.claude', '.codex', '.copilot', '.gemini', '.aider', '.continue', '.roo', '.kiro', '.opencode', '.agents'],
  ...['.cargo', '.mvn', '.junie', '.clinerules', '.augment', '.amazonq', '.trae', '.mise', 'node_modules'],
])

/** Files that a tool, an editor, an agent or a person's next command runs or obeys without being told to. */
const FILES = [
  // Package managers and their scripts.
  /^(?:package\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.c?js|bunfig\.toml|deno\.jsonc?|composer\.json|mix\.exs)$/,
  /^(?:cargo\.toml|build\.rs|gemfile|.+\.gemspec|setup\.(?:py|cfg)|pyproject\.toml|hatch_build\.py|manage\.py)$/,
  /^(?:flake\.nix|shell\.nix|default\.nix|build\.zig|package\.swift)$/,
  // Builds, tasks and tests.
  /^(?:(?:gnu)?makefile|.+\.mk|cmakelists\.txt|justfile|taskfile\.ya?ml|rakefile|sconstruct|sconscript|dodo\.py)$/,
  /^(?:(?:build|settings|init)\.gradle(?:\.kts)?|gradlew(?:\.bat)?|gradle(?:-wrapper)?\.properties)$/,
  /^(?:pom\.xml|mvnw(?:\.cmd)?|(?:maven-wrapper|jvm)\.(?:properties|config)|build\.xml|build\.sbt|meson\.build)$/,
  /^(?:build(?:\.bazel)?|workspace(?:\.bazel)?|module\.bazel|\.bazelrc|buck|tiltfile|earthfile|skaffold\.ya?ml)$/,
  /^(?:conftest\.py|tox\.ini|noxfile\.py|pytest\.ini|(?:site|user)customize\.py|.+\.pth|tasks\.py|fabfile\.py)$/,
  /^(?:(?:grunt|gulp)file\..+|\.(?:eslintrc|babelrc|mocharc|prettierrc|lintstagedrc)(?:\..+)?|.+\.config\.[cm]?[jt]s)$/,
  // Shells, editors, debuggers and the environment of a folder.
  /^(?:\.(?:bash|zsh)(?:rc|_profile|env)|\.profile|\.envrc|\.?mise(?:\..+)?\.toml|\.tool-versions|\.rtx\.toml)$/,
  /^(?:\.(?:vimrc|nvimrc|nvim\.lua|exrc|gdbinit|lldbinit|dir-locals\.el|inputrc)|.+\.code-workspace)$/,
  // Git, hooks, containers and machines that build.
  /^(?:\.git(?:config|attributes|modules)|\.pre-commit-config\.ya?ml|\.?lefthook\.ya?ml|\.overcommit\.yml)$/,
  /^(?:procfile|vagrantfile|jenkinsfile|(?:.+\.)?(?:docker|container)file(?:\..+)?|(?:docker-)?compose(?:\..+)?\.ya?ml)$/,
  /^(?:\.gitlab-ci\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml)$/,
  // Agents.
  /^(?:\.?mcp(?:-config)?\.json|\.?opencode\.jsonc?|\.aider\.conf\.ya?ml|\.roomodes|crush\.json|\.crush\.json)$/,
  /^(?:agents?\.md|claude(?:\.local)?\.md|gemini\.md|skill\.md|copilot-instructions\.md|.+\.instructions\.md)$/,
  /^(?:.+\.prompt\.md|.+\.chatmode\.md|.+\.agent\.md|\.(?:cursor|windsurf|cline|roo)rules(?:-.+)?)$/,
]

/**
 * True for a file that runs later or configures an agent: writing it is running it, so a person is asked even in a
 * writable folder. `names` are the folded components below the sandbox root. Design: firewall requests.
 */
export function runsLater(names: readonly string[]): boolean {
  const last = names.at(-1) ?? ''
  return names.some((name) => FOLDERS.has(name)) || FILES.some((pattern) => pattern.test(last))
}
