import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** In the other of the two runs: they start a browser or all of Teller, or kill processes again and again. */
export const slow = [
  'test/slow/**/*.test.ts',
  'test/browser/**/*.test.ts',
  'test/end-to-end/**/*.test.ts',
  'test/kills/**/*.test.ts',
];

/** More than there are processors: tests spend a third of their time waiting for sockets and threads. */
const WORKERS = Math.min(8, Math.ceil(availableParallelism() * 1.5));

export const everyRun = {
  globalSetup: 'test/support/global-setup.ts',
  setupFiles: 'test/support/compiled-threads.ts',
  pool: 'forks' as const,
  isolate: false,
  maxWorkers: WORKERS,
  expect: { poll: { timeout: 10_000 } },
};

export default defineConfig({
  test: {
    ...everyRun,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...slow],
    testTimeout: 60_000,
  },
});
