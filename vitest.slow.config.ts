import { defineConfig } from 'vitest/config';
import { everyRun } from './vitest.config.ts';

/** `npm run test:slow`: what takes longer than every change should have to wait for. */
export default defineConfig({
  test: { ...everyRun, include: ['test/slow/**/*.test.ts'], testTimeout: 120_000 },
});
