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

/** What is promised of the ledger that is being written, beside the one that is in use. */
const ofNewLedger = [
  'test/rewards/*.test.ts',
  'test/together/*.test.ts',
  ...['joined', 'no-scans', 'operating', 'parties', 'postgres', 'reading', 'terms'].map(
    (name) => `test/ledger/${name}.test.ts`,
  ),
  'test/core/times.test.ts',
  'test/retention.test.ts',
];

export default defineConfig({
  test: {
    ...everyRun,
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...slow, 'test/ledger/postgres.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: { name: 'new ledger', include: ofNewLedger, env: { LEDGER: 'new' }, testTimeout: 60_000 },
      },
    ],
  },
});
