import { createRequire } from 'node:module';

/**
 * Loads a CommonJS package. To import one, node first loads a parser that finds its exports: 12 ms of CPU and 6 MiB, once
 * in each thread.
 */
export const commonJs = createRequire(import.meta.url);
