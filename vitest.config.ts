import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/build.setup.ts'],
    environment: 'node',
    pool: 'forks',
    // Loading what is tested takes longer than testing it; no test leaves anything behind in its modules.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    restoreMocks: true,
    unstubEnvs: true,
    reporters: ['default', './test/plain-reporter.ts'],
  },
})
