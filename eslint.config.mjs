import { defineConfig } from 'eslint/config'
import { configs } from 'typescript-eslint'

const oneDoor = 'TenantId|SubjectId|SessionId|ToolCallId|NormalizedCall|Login'
const bans = [
  {
    selector: `TSAsExpression > TSTypeReference[typeName.name=/^(${oneDoor})$/]`,
    message: 'This type has one door; call it.',
  },
  { selector: 'ExportAllDeclaration', message: 'Name what you export.' },
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
]
const worldOnly = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take the time from World.now.' },
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Take the time from World.now.',
  },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: 'Take ids from World.newId.',
  },
  {
    selector: "CallExpression[callee.object.name='AbortSignal'][callee.property.name='timeout']",
    message: 'Take deadlines from World.deadline.',
  },
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'Read settings in src/config.io.ts only.',
  },
]

export default defineConfig(
  { ignores: ['dist/', 'node_modules/', '.cache/', '**/*.mjs', 'test/fixtures/'] },
  ...configs.strictTypeChecked,
  ...configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/strict-boolean-expressions': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-restricted-syntax': ['error', ...bans, ...worldOnly],
      'no-restricted-globals': ['error', 'fetch', 'console', 'setTimeout', 'setInterval', 'setImmediate'],
      'max-lines': ['error', { max: 250, skipComments: true, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 50, skipComments: true, skipBlankLines: true }],
      complexity: ['error', 10],
      eqeqeq: 'error',
      curly: ['error', 'multi-line'],
    },
  },
  { files: ['src/core/reasons.ts'], rules: { 'max-lines': 'off' } },
  {
    files: ['src/core/ids.ts', 'src/firewall/normalize.ts', 'src/login/verify.ts'],
    rules: { 'no-restricted-syntax': ['error', ...bans.slice(1), ...worldOnly] },
  },
  {
    files: ['**/*.io.ts', 'standins/**', 'scripts/**', 'bench/**'],
    rules: { 'no-restricted-syntax': ['error', ...bans], 'no-restricted-globals': 'off' },
  },
  {
    files: ['test/**', '*.config.ts'],
    rules: {
      'no-restricted-syntax': 'off',
      'no-restricted-globals': 'off',
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
)
