import { defineConfig } from 'vitest/config';
import { everyRun } from './vitest.config.ts';

/** `npm run shots`: the test run only starts what the pictures are taken of. */
export default defineConfig({
  test: {
    ...everyRun,
    include: ['test/shots/*.shots.ts'],
    testTimeout: 240_000,
    disableConsoleIntercept: true,
  },
});
