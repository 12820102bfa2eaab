/** What several processes do to one ledger at the same time. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAY, ledgers, NOON, reward } from '../kit/ledgers.ts';
import { openToOthersIn, temporaryFolder } from '../support/folder.ts';
import { startScript } from '../support/processes.ts';

const OPENER = join(import.meta.dirname, '../support/open-ledgers.ts');

test('if several processes start at once without a ledger, one creates it and all open it', async () => {
  const files = Array.from({ length: 5 }, () => join(temporaryFolder(), 'teller.db'));
  /** When the first is opened: all processes have started by then. */
  const at = String(Date.now() + 1_000);
  const open = () => startScript<{ outcomes: string[] }>(OPENER, [...files, at], temporaryFolder());
  const all = await Promise.all(Array.from({ length: 5 }, open));
  for (const { ready } of all) expect(ready.outcomes).toEqual(files.map(() => 'opened'));
  if (process.platform !== 'win32')
    for (const file of files) expect(openToOthersIn(join(file, '..'))).toEqual([]);
});

test('a vote that is not recorded is judged by one state of the ledger, although another process writes meanwhile', async () => {
  const fifth = reward('fifth', { if: { votes: { at: [5], of: 'network' } } });
  const ledger = await ledgers({ rewards: [fifth] });
  await ledger.vote({});
  const other = await ledger.another();
  const next = ledger.arrival({ at: NOON + 2 * DAY });
  let asked = 0;
  const written = {
    ...next,
    /** The windows are read between the first and the second look at the rules, and the counts after it. */
    get rules() {
      asked += 1;
      if (asked === 2) other.sql("UPDATE service_days SET counted = 4 WHERE service = ''");
      return next.rules;
    },
  };
  expect([await ledger.foreseen(written), asked > 1]).toEqual([[], true]);
  expect(await ledger.foreseen(next)).toEqual(['fifth']);
});
