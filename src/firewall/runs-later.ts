/** Folders whose files configure an agent, an editor, a repository or a build, anywhere below the root. */
const FOLDERS = new Set([
  ...['.git', '.github', '.gitlab', '.githooks', '.husky', '.circleci', '.buildkite', '.forgejo', '.gitea'],
  ...['.vscode', '.idea', '.zed', '.fleet', '.cursor', '.windsurf', '.devcontainer', '.direnv'],
  ...['.claude', '.codex', '.copilot', '.gemini', '.aider', '.continue', '.roo', '.kiro', '.opencode', '.agents'],
  ...['.cargo', '.mvn', '.junie', '.clinerules', '.augment', '.amazonq', '.trae', '.mise', 'node_modules'],
  ...[
    '.qwen',
    '.goose',
    '.amp',
    '.factory',
    '.cline',
    '.kilocode',
    '.crush',
    '.openhands',
    '.claude-plugin',
    '.serena',
  ],
  ...['.hg', '.svn', '.venv', 'venv', 'site-packages', '.yarn', '.gradle', '.m2', '.bundle', '.storybook', '.ipython'],
  ...['.ssh', '.gnupg', '.docker', '.kube', '.aws', '.config', '.local', '.terraform', '.devbox', '.nx'],
])

/** Files that a tool, an editor, an agent or a person's next command runs or obeys without being told to. */
const FILES = [
  // Package managers and their scripts.
  /^(?:package\.json|\.yarnrc\.yml|\.pnpmfile\.c?js|bunfig\.toml|deno\.jsonc?|composer\.json|mix\.exs)$/,
  /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|(?:lerna|nx|turbo)\.json)$/,
  /^(?:requirements(?:-.+)?\.txt|constraints\.txt|environment\.ya?ml|pubspec\.yaml|dune-project|stack\.yaml|.+\.cabal)$/,
  /^(?:(?:pip|pod|brew|fast|snake|guard|cap|danger|berks)file|rebar\.config|binding\.gyp|.+\.gypi?)$/,
  /^(?:.+\.(?:cs|fs|vb|vcx)proj|.+\.sln|directory\.(?:build|packages)\.(?:props|targets)|nuget\.config|global\.json)$/,
  /^(?:cargo\.toml|build\.rs|gemfile|.+\.gemspec|setup\.(?:py|cfg)|pyproject\.toml|hatch_build\.py|manage\.py)$/,
  /^(?:flake\.nix|shell\.nix|default\.nix|build\.zig|package\.swift)$/,
  // Builds, tasks and tests.
  /^(?:(?:gnu)?makefile|.+\.mk|cmakelists\.txt|justfile|taskfile\.ya?ml|rakefile|sconstruct|sconscript|dodo\.py)$/,
  /^(?:(?:build|settings|init)\.gradle(?:\.kts)?|gradlew(?:\.bat)?|gradle(?:-wrapper)?\.properties)$/,
  /^(?:pom\.xml|mvnw(?:\.cmd)?|(?:maven-wrapper|jvm)\.(?:properties|config)|build\.xml|build\.sbt|meson\.build)$/,
  /^(?:build(?:\.bazel)?|workspace(?:\.bazel)?|module\.bazel|\.bazelrc|buck|tiltfile|earthfile|skaffold\.ya?ml)$/,
  /^(?:conftest\.py|tox\.ini|noxfile\.py|pytest\.ini|(?:site|user)customize\.py|.+\.pth|tasks\.py|fabfile\.py)$/,
  /^(?:(?:grunt|gulp)file\..+|.+\.conf(?:ig)?\.[cm]?[jt]s|configure(?:\.ac)?|.+\.cmake|cmakepresets\.json)$/,
  /^(?:mkdocs\.ya?ml|_config\.yml|conf\.py|phpunit\.xml(?:\.dist)?|\.php-cs-fixer(?:\.dist)?\.php|artisan|nodemon\.json)$/,
  // What a program reads from the folder that it starts in: `.npmrc`, `.eslintrc.json`, `.curlrc`, `.vimrc`, …
  /^(?:\.[a-z][a-z0-9_-]*rc(?:\.(?:py|rb|ya?ml|toml|json[c5]?|[cm]?[jt]s))?|\.rprofile|\.dir-locals\.el)$/,
  // Shells, editors, debuggers and the environment of a folder.
  /^\.(?:bash_(?:profile|login|logout|aliases)|z(?:sh_?env|profile|login|logout)|z?profile|x(?:initrc|profile|session)|login)$/,
  /^(?:\.?mise(?:\..+)?\.toml|\.tool-versions|\.rtx\.toml|\.tmux\.conf|crontab|.+\.desktop|\.forward)$/,
  /^(?:\.(?:nvim\.lua|gdbinit|lldbinit)|.+\.(?:code-workspace|sublime-project))$/,
  // Git, hooks, containers and machines that build.
  /^(?:\.git(?:config|attributes|modules)|\.pre-commit-config\.ya?ml|\.?lefthook\.ya?ml|\.overcommit\.yml)$/,
  /^(?:procfile|vagrantfile|jenkinsfile|(?:docker-)?compose(?:\..+)?\.ya?ml)$/,
  /^(?:.+\.)?(?:docker|container)file(?:\.(?!md$).+)?$/,
  /^(?:action\.ya?ml|\.devcontainer\.json|appveyor\.yml|cloudbuild\.ya?ml|netlify\.toml|vercel\.json|wrangler\.(?:toml|jsonc?))$/,
  /^(?:serverless\.ya?ml|pulumi\.ya?ml|\.?ansible\.cfg)$/,
  /^(?:\.gitlab-ci\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml)$/,
  // Agents.
  /^(?:.*mcp[-_.]?(?:config|settings|servers)?\.json|claude_desktop_config\.json|\.?opencode\.jsonc?|\.?crush\.json)$/,
  /^(?:\.aider\..+|\.goosehints|\.roomodes)$/,
  /^(?:agents?\.md|(?:claude|gemini|qwen|warp)(?:\.local)?\.md|skill\.md|copilot-instructions\.md|.+\.instructions\.md)$/,
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
