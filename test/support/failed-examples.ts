import { join } from 'node:path';
import { openTemporaryLedger } from '../../src/ledger/sqlite/temporary.ts';
import { readExamples } from '../../src/operator/simulation/examples-file.ts';
import { runExamples } from '../../src/operator/simulation/run-examples.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { temporaryFolder } from './folder.ts';

/** Runs the examples of a file that has a config of its own, and returns the names of those that fail. */
export async function failedExamplesIn(file: string): Promise<readonly string[]> {
  const read = await readExamples(file, async () => {
    throw new Error(`${file} has no config of its own`);
  });
  const failed: string[] = [];
  for await (const { example, mismatches } of runExamples(read, () => openTemporaryLedger(systemClock))) {
    if (mismatches.length > 0) failed.push(example.name);
  }
  return failed;
}

/** The same for the content of such a file. */
export const failedExamples = (content: object): Promise<readonly string[]> =>
  failedExamplesIn(join(temporaryFolder({ 'examples.json': JSON.stringify(content) }), 'examples.json'));
