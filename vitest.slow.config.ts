import { defineConfig } from 'vitest/config';
import { everyRun, slow } from './vitest.config.ts';

/** `npm run test:slow`: what takes longer than every change should have to wait for. */
export default defineConfig({
  test: { ...everyRun, include: slow, testTimeout: 120_000 },
});
