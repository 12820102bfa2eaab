/** `npm run shots [-- FOLDER]`: pictures of every page of the console in every state, and `index.html` with all of them. */
import { resolve } from 'node:path';
import { startVitest } from 'vitest/node';

process.env.SHOTS_FOLDER = resolve(process.argv[2] ?? 'shots');
const run = await startVitest('test', [], { config: 'vitest.shots.config.ts', watch: false });
await run.close();
