import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import { lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runDying } from '../support/processes.ts';

const PROCESS = join(import.meta.dirname, '../support/dying-party.ts');

type When = 'while' | 'after' | 'never';

/** Records the votes and pays what they reach. @returns whether it was killed. */
const run = (file: string, when: When, write = 0, players = 0): boolean =>
  runDying(PROCESS, [file, when, write, players]) === null;

async function earned(file: string) {
  const ledger = lookInto(file);
  const grants = await ledger.grants({ limit: 10_000 });
  const [progress] = await ledger.partyProgress();
  return {
    grants: grants.map(({ player, occasion }) => `${player} ${occasion}`).toReversed(),
    counted: progress?.counted,
    wrong: (await wrongCountsOf(ledger)).parties,
  };
}

const ALL = {
  grants: [
    ...['Alex party 1', 'Steve party 1'],
    ...['Sasha party 2', 'Steve party 2', 'Alex party 2'],
    ...['Alex top 2026-06-01 place 1', 'Steve top 2026-06-01 place 2'],
  ],
  counted: 1,
  wrong: [],
};
/** To the tables of parties and tops, in one run. */
const WRITES = 23;

describe('what players reach together, after kill -9', () => {
  test('is this if nothing is killed', async () => {
    const file = join(temporaryFolder(), 'teller.db');
    expect(run(file, 'never')).toBe(false);
    expect(await earned(file)).toEqual(ALL);
    expect(run(file, 'never')).toBe(false);
    expect(await earned(file)).toEqual(ALL);
  });

  test('has no more writes than are tried', () => {
    expect(run(join(temporaryFolder(), 'teller.db'), 'while', WRITES + 1)).toBe(false);
  });

  const cases = Array.from({ length: WRITES }, (_, at) => at + 1).flatMap((n) =>
    (['while', 'after'] as const).map((when) => [when, n] as const),
  );

  test.each(cases)('is the same if it came %s write %i', async (when, write) => {
    const file = join(temporaryFolder(), 'teller.db');
    expect(run(file, when, write)).toBe(true);
    expect(run(file, 'never')).toBe(false);
    expect(await earned(file)).toEqual(ALL);
  });
});

describe('a party of 1,200 voters, who are stored in three portions, after kill -9', () => {
  const PLAYERS = 1_200;
  const EACH_ONCE = {
    grants: [
      ...Array.from({ length: PLAYERS }, (_, at) => `P${at} party 1`),
      ...['P0 top 2026-06-01 place 1', 'P1 top 2026-06-01 place 2'],
    ],
    counted: 0,
    wrong: [],
  };

  test.each([
    ['never', 0],
    ['while', 1],
    ['after', 1],
    ['while', 501],
    ['after', 501],
    ['while', 1_001],
    ['after', 1_001],
    // It is closed with the last portion.
    ['while', PLAYERS + 1],
    ['after', PLAYERS + 1],
  ] as const)('pays each voter once, in the same order, if it came %s write %i', async (when, write) => {
    const file = join(temporaryFolder(), 'teller.db');
    expect(run(file, when, write, PLAYERS)).toBe(when !== 'never');
    expect(run(file, 'never', 0, PLAYERS)).toBe(false);
    expect(await earned(file)).toEqual(EACH_ONCE);
  });
});
