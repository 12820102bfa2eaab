import { expect, test } from 'vitest';
import { type Cast, june, ledgers, reward, SECOND } from '../kit/ledgers.ts';

const SHORT = { cooldown: '1s' };
const LISTS = { default: SHORT, A: SHORT, B: SHORT };

/** Votes of a player as `20*A1 B9`: 20 on the list A on the first of June, and one on B on the ninth. */
const votesOf = (player: string, written: string): Cast[] =>
  [...written.matchAll(/(?:(\d+)\*)?([A-Z])(\d+)/g)].flatMap(([, count = '1', list = '', date]) =>
    Array.from({ length: Number(count) }, (_, n) => {
      return { player, on: list, at: june(Number(date)) + 2 * n * SECOND };
    }),
  );

const MANY = ['20*A1', '8*A9'] as const;
const RUN = ['A1 A2 A3 A4', 'A5 A6 A7'] as const;

test.each<[object, string, string, string, string[]]>([
  [{ votes: { every: 25 } }, ...MANY, 'A10', []],
  [{ streak: 7 }, ...RUN, 'A8 B7', []],
  [{ streak: 7 }, ...RUN, 'A8 A9 A10 A11', []],
  [
    { streak: { length: 4, repeat: true } },
    ...RUN,
    'A8',
    ['streak 4 reached 2026-06-04', 'streak 8 reached 2026-06-08'],
  ],
  [{ streak: 7 }, 'A1 A2 A3', 'A5 A6 A7', 'A8 A4', ['streak 7 reached 2026-06-07']],
  [{ streak: { length: 2, per: 'week', votes: 2 } }, 'A1 A8', 'A2 A9', 'A10', []],
  [{ allSites: true }, 'A1 A2', 'B1 A2', 'A1', []],
  [{ allSites: true }, 'A1 A2', 'A3', 'B2 B1', ['day 2026-06-02', 'day 2026-06-01']],
])(
  'what two names have reached together, %j with %s and %s, is not paid with the next votes %s either, but what they reach',
  async (written, alex, sasha, next, paid) => {
    const ledger = await ledgers({ sites: LISTS, rewards: [reward('r', { if: written })] });
    await ledger.vote(...votesOf('Alex', alex), ...votesOf('Sasha', sasha));
    await ledger.merge('Sasha', 'Alex', june(11));
    await ledger.vote(...votesOf('Alex', next).map((cast) => ({ ...cast, received: june(11) })));
    expect((await ledger.grants()).map(({ occasion }) => occasion)).toEqual(paid);
  },
);

test('what a count had reached by a join or an import is not paid because votes were voided and cast again', async () => {
  const rewards = [reward('each', { if: { votes: { every: 25 } } })];
  const ledger = await ledgers({ sites: LISTS, rewards });
  await ledger.vote(...votesOf('Alex', '20*A1'), ...votesOf('Sasha', '8*A9'));
  await ledger.merge('Sasha', 'Alex', june(11));
  await ledger.void(1, 2, 3, 4);
  await ledger.vote(...votesOf('Alex', 'A12'));
  expect(await ledger.grants()).toEqual([]);
  await ledger.vote(...votesOf('Alex', '24*A13 A14'));
  expect((await ledger.grants()).map(({ occasion }) => occasion)).toEqual(['total 50']);
});
