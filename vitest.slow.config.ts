import { defineConfig } from 'vitest/config';
import { everyRun, slow } from './vitest.config.ts';

/** Now and then Chromium itself ends with a segmentation fault, which says nothing about the page. */
const BROWSER_CRASHED = /Target crashed/;

/** `npm run test:slow`: what takes longer than every change should have to wait for. */
export default defineConfig({
  test: { ...everyRun, include: slow, testTimeout: 120_000, retry: { count: 1, condition: BROWSER_CRASHED } },
});
