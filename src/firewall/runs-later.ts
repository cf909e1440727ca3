/** Folders whose files configure an agent, an editor, a repository or a build, anywhere below the root. */
const FOLDERS = new Set([
  ...['.git', '.github', '.gitlab', '.githooks', '.husky', '.circleci', '.buildkite', '.forgejo', '.gitea'],
  ...['.vscode', '.idea', '.zed', '.fleet', '.cursor', '.windsurf', '.devcontainer', '.direnv'],
  ...['.claude', '.codex', '.copilot', '.gemini', '.aider', '.continue', '.roo', '.kiro', '.opencode', '.agents'],
])

/** Files that a tool, an editor, an agent or a person's next command runs or obeys without being told to. */
const FILES =
  /^(?:\.?mcp(?:-config)?\.json|\.envrc|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.c?js|package\.json|bunfig\.toml|deno\.jsonc?|\.(?:bash|zsh)(?:rc|_profile|env)|\.profile|\.git(?:config|attributes|modules)|\.pre-commit-config\.ya?ml|lefthook\.ya?ml|(?:gnu)?makefile|.+\.mk|cmakelists\.txt|justfile|taskfile\.ya?ml|rakefile|gemfile|.+\.gemspec|procfile|vagrantfile|jenkinsfile|(?:.+\.)?(?:docker|container)file(?:\..+)?|(?:docker-)?compose(?:\..+)?\.ya?ml|\.gitlab-ci\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|conftest\.py|setup\.(?:py|cfg)|pyproject\.toml|tox\.ini|noxfile\.py|pytest\.ini|(?:site|user)customize\.py|.+\.pth|manage\.py|build\.rs|cargo\.toml|(?:build|settings|init)\.gradle(?:\.kts)?|gradlew(?:\.bat)?|pom\.xml|mvnw(?:\.cmd)?|(?:grunt|gulp)file\..+|\.(?:eslintrc|babelrc|mocharc|prettierrc|lintstagedrc)(?:\..+)?|.+\.config\.[cm]?[jt]s|agents\.md|claude\.md|gemini\.md|copilot-instructions\.md|.+\.instructions\.md|.+\.prompt\.md|\.(?:cursor|windsurf|cline)rules)$/

/**
 * True for a file that runs later or configures an agent: writing it is running it, so a person is asked even in a
 * writable folder. `names` are the folded components below the sandbox root. Design: firewall requests.
 */
export function runsLater(names: readonly string[]): boolean {
  return names.some((name) => FOLDERS.has(name)) || FILES.test(names.at(-1) ?? '')
}
