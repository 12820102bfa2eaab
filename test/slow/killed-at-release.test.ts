import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import { lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runDying } from '../support/processes.ts';
import { arrival, DAY } from '../support/votes.ts';

const PROCESS = join(import.meta.dirname, '../support/dying-release.ts');
const PLAYERS = 1_200;
const START = arrival().vote.receivedAt;

/** @returns whether it was killed. */
const run = (file: string, when: string, change: number): boolean =>
  runDying(PROCESS, [file, when, change, PLAYERS]) === null;

async function released(file: string) {
  const ledger = lookInto(file);
  const votes = await ledger.votes({ limit: 10_000 });
  return {
    days: votes.map(({ castAt }) => (castAt - START) / DAY).toReversed(),
    states: await ledger.grantStates(),
    clock: await ledger.clock(),
    wrong: await wrongCountsOf(ledger),
  };
}

/** 1,200 votes are moved, then 1,200 grants are released, both in three portions. */
test.each([
  ['never', 0],
  ...[1, 501, 1_001, PLAYERS, PLAYERS + 1, PLAYERS + 501, PLAYERS + 1_001, 2 * PLAYERS].flatMap((change) => [
    ['while', change] as const,
    ['after', change] as const,
  ]),
] as const)(
  'a release of the clock has the same outcome if kill -9 came %s change %i',
  async (when, change) => {
    const file = join(temporaryFolder(), 'teller.db');
    expect(run(file, when, change)).toBe(when !== 'never');
    expect(run(file, 'never', 0)).toBe(false);
    const { days, states, clock, wrong } = await released(file);
    expect(days).toEqual([0, ...Array.from({ length: PLAYERS }, () => 2)]);
    expect(states).toEqual({ pending: PLAYERS + 1 });
    expect(clock).toMatchObject({ doubt: null, held: 0, doubts: [{ endedBy: 'released' }] });
    expect(wrong).toEqual({ recipients: [], network: false, parties: [] });
  },
);
