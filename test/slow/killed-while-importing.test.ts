import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import { configFolder, lookInto } from '../support/config-folder.ts';
import { runDying } from '../support/processes.ts';

const IMPORTER = join(import.meta.dirname, '../support/dying-importer.ts');
const REWARDS = [
  { name: 'daily', commands: ['give {player} diamond 1'] },
  { name: 'fifties', if: { votes: { every: 50 } }, commands: ['give {player} emerald 1'] },
];

function newFolder() {
  const { config, ledger } = configFolder({ rewards: REWARDS, sites: { List: {} } });
  mkdirSync(dirname(ledger), { recursive: true });
  return { config, file: ledger };
}

/** @returns whether it was killed. */
const importIn = (config: string, when: 'before' | 'after' | 'while' | 'never', at = 0): boolean =>
  runDying(IMPORTER, [config, when, at]) === null;

async function imported(file: string) {
  const ledger = lookInto(file);
  const shown = await Promise.all(
    [1, 200, 201, 450].map(async (number) => {
      const [player] = await ledger.players(`player${number}` as never);
      return [player?.votes, player?.passed.map(({ occasion }) => occasion), player?.balances.length];
    }),
  );
  return {
    shown,
    grants: await ledger.grantStates(),
    votes: (await ledger.votes({ limit: 1_000 })).length,
    wrong: await wrongCountsOf(ledger),
  };
}

const IMPORTED = {
  shown: [
    [101, ['total 100', 'total 50'], 4],
    [100, ['total 100', 'total 50'], 4],
    [101, ['total 100', 'total 50'], 4],
    [100, ['total 100', 'total 50'], 4],
  ],
  grants: {},
  votes: 450,
  wrong: { recipients: [], network: false, parties: [] },
};

describe('450 players who are imported', () => {
  test('have this if nothing is killed, and nothing more when they are imported again', async () => {
    const { config, file } = newFolder();
    expect(importIn(config, 'never')).toBe(false);
    expect(await imported(file)).toEqual(IMPORTED);
    expect(importIn(config, 'never')).toBe(false);
    expect(await imported(file)).toEqual(IMPORTED);
  });

  const calls = [1, 2, 3, 4, 5, 6, 7].flatMap((n) =>
    (['before', 'after'] as const).map((when) => [when, 'call', n] as const),
  );
  const writes = [1, 250, 899].map((n) => ['while', 'balance', n] as const);

  test.each([...calls, ...writes])(
    'have the same if kill -9 came %s %s %i of the import',
    async (when, _, at) => {
      const { config, file } = newFolder();
      expect(importIn(config, when, at)).toBe(true);
      expect(importIn(config, 'never')).toBe(false);
      expect(await imported(file)).toEqual(IMPORTED);
    },
  );
});
