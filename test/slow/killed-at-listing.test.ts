import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import { lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runDying } from '../support/processes.ts';

const LISTER = join(import.meta.dirname, '../support/dying-lister.ts');

/** Lists the services of the script. @returns whether it was killed. */
const listIn = (file: string, when: 'while' | 'after' | 'never', vote = 0): boolean =>
  runDying(LISTER, [file, when, vote]) === null;

async function earned(file: string) {
  const ledger = lookInto(file);
  const grants = await ledger.grants({ limit: 100 });
  return {
    grants: grants.map(({ voteId, reward, occasion }) => `${voteId} ${reward} ${occasion}`).toReversed(),
    waiting: await ledger.waitingVotes(0),
    wrong: await wrongCountsOf(ledger),
  };
}

const EARNED = {
  grants: [
    '1 thanks ',
    '2 thanks ',
    '3 thanks ',
    '3 third total 3',
    '4 thanks ',
    '5 thanks ',
    '6 thanks ',
    '6 third total 6',
  ],
  waiting: [],
  wrong: { recipients: [], network: false, parties: [] },
};

describe('six votes on unlisted services, which are then listed one by one', () => {
  test('earn this if nothing is killed, and nothing more when they are listed again', async () => {
    const file = join(temporaryFolder(), 'teller.db');
    expect(listIn(file, 'never')).toBe(false);
    expect(await earned(file)).toEqual(EARNED);
    expect(listIn(file, 'never')).toBe(false);
    expect(await earned(file)).toEqual(EARNED);
  });

  const cases = [1, 2, 3, 4, 5].flatMap((n) =>
    (['while', 'after'] as const).map((when) => [when, n] as const),
  );

  test.each(cases)('earn the same if kill -9 came %s vote %i was decided again', async (when, vote) => {
    const file = join(temporaryFolder(), 'teller.db');
    expect(listIn(file, when, vote)).toBe(true);
    expect(listIn(file, 'never')).toBe(false);
    expect(await earned(file)).toEqual(EARNED);
  });
});
