import { createRequire } from 'node:module';

/**
 * Loads a CommonJS package by name; the caller adds its type. The first import of such a package makes node load a parser
 * that finds the names it exports: about 8 MiB, and 30 to 75 ms of CPU, in each thread.
 */
export const commonJs = createRequire(import.meta.url);
