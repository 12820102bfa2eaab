/** The thread of a database with one table of words, for tests of the thread itself. */
import { openDatabase } from '../../src/platform/sqlite/open.ts';
import { serveThread } from '../../src/platform/sqlite/serve-thread.ts';
import { type WordsPlace, wordsSchema, wordsWork } from './words-work.ts';

serveThread(
  ({ file, mode }: WordsPlace) => ({
    work: wordsWork(openDatabase(file, wordsSchema, mode)),
    facts: `opened to ${mode}`,
  }),
  () => performance.now(),
);
