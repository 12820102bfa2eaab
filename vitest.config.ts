import { configDefaults, defineConfig } from 'vitest/config';

export const everyRun = {
  globalSetup: 'test/support/global-setup.ts',
  pool: 'forks' as const,
  isolate: false,
  maxWorkers: 2,
  expect: { poll: { timeout: 10_000 } },
};

export default defineConfig({
  test: {
    ...everyRun,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/slow/**'],
    testTimeout: 20_000,
  },
});
