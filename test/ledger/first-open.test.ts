import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { openToOthersIn } from '../support/modes.ts';
import { startScript } from '../support/processes.ts';

const UPGRADER = join(import.meta.dirname, '../support/open-ledgers.ts');
const PROCESSES = 5;
const ROUNDS = 5;
/** How long all processes may take to start. */
const START_MS = 1_000;

async function openedByAll(files: readonly string[]): Promise<string[][]> {
  const args = [...files, String(Date.now() + START_MS)];
  const all = Array.from({ length: PROCESSES }, () =>
    startScript<{ outcomes: string[] }>(UPGRADER, args, temporaryFolder()),
  );
  return (await Promise.all(all)).map(({ ready }) => ready.outcomes);
}

test('if several processes start at once without a ledger, one creates it and all open it', async () => {
  const files = Array.from({ length: ROUNDS }, () => join(temporaryFolder(), 'teller.db'));
  for (const outcomes of await openedByAll(files)) {
    expect(outcomes).toEqual(files.map(() => 'opened'));
  }
  if (process.platform !== 'win32')
    for (const file of files) expect(openToOthersIn(join(file, '..'))).toEqual([]);
});
