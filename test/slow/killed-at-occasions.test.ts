import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import { lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runDying } from '../support/processes.ts';

const RECORDER = join(import.meta.dirname, '../support/dying-recorder.ts');

type When = 'while' | 'after' | 'never';

/** Records the votes of the script. @returns whether it was killed. */
const recordInto = (file: string, when: When, occasion = 0): boolean =>
  runDying(RECORDER, [file, when, occasion]) === null;

async function earned(file: string) {
  const ledger = lookInto(file);
  const grants = await ledger.grants({ limit: 100 });
  return {
    grants: grants.map(({ player, reward, occasion }) => `${player} ${reward} ${occasion}`).toReversed(),
    wrong: await wrongCountsOf(ledger),
  };
}

/** Each votes on six days, Alex first. */
const EARNED = [
  ...['Alex scarce ', 'Steve scarce '],
  ...['Alex second total 2', 'Alex everyone network 3', 'Alex scarce '],
  ...['Steve second total 2', 'Steve scarce '],
  ...['Alex streak streak 3 reached 2026-06-03', 'Alex scarce '],
  ...['Steve streak streak 3 reached 2026-06-03', 'Steve everyone network 6'],
  ...['Alex second total 4', 'Steve second total 4', 'Alex everyone network 9'],
  ...['Alex second total 6', 'Alex streak streak 6 reached 2026-06-06'],
  ...['Steve second total 6', 'Steve streak streak 6 reached 2026-06-06', 'Steve everyone network 12'],
];
const OCCASIONS = 14;

describe('votes that are sent again after kill -9', () => {
  test('are those that earn this if nothing is killed', async () => {
    const file = join(temporaryFolder(), 'teller.db');
    expect(recordInto(file, 'never')).toBe(false);
    expect(await earned(file)).toEqual({
      grants: EARNED,
      wrong: { recipients: [], network: false, parties: [] },
    });
  });

  const cases = Array.from({ length: OCCASIONS }, (_, at) => at + 1).flatMap((n) =>
    (['while', 'after'] as const).map((when) => [when, n] as const),
  );

  test.each(cases)('earn the same if it came %s occasion %i was stored', async (when, occasion) => {
    const file = join(temporaryFolder(), 'teller.db');
    expect(recordInto(file, when, occasion)).toBe(true);
    expect(recordInto(file, 'never')).toBe(false);
    expect(await earned(file)).toEqual({
      grants: EARNED,
      wrong: { recipients: [], network: false, parties: [] },
    });
  });
});
