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
  [{ votes: { at: [21, 28, 29] } }, ...MANY, 'A10', ['total 29']],
  [{ votes: { every: 5, sites: ['A'] } }, '3*A1', '3*A2', '9*B3 4*A10', ['total 10']],
  [{ votes: { every: 5, of: 'site' } }, '3*A1', '3*A2', '4*A10', ['site A total 10']],
  [{ firstVote: true }, 'A1', 'B1', 'A2', ['total 1', 'total 1']],
  [{ returning: '1d' }, 'A1', 'B9', 'A10', []],
  [{ streak: 7 }, ...RUN, 'A8 B7', []],
  [{ streak: 7 }, ...RUN, 'A8 A9 A10 A11', []],
  [{ streak: 8 }, ...RUN, 'A8', ['streak 8 reached 2026-06-08']],
  [{ streak: 3 }, 'A1 A2 A3', 'A4 A5', 'A6', ['streak 3 reached 2026-06-03']],
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
  [{ allSites: { within: 'week' } }, 'A1 A2', 'B1', 'A3', []],
  [{ votes: { at: [2] }, allSites: true }, 'A1', 'B1', 'A1', []],
  [{ any: [{ votes: { at: [2] } }, { allSites: true }] }, 'A1', 'B1', 'A1', []],
])(
  'what two names have reached together, %j with %s and %s, is not paid when they are joined nor with the next votes %s, but what these reach',
  async (written, alex, sasha, next, paid) => {
    const ledger = await ledgers({ sites: LISTS, rewards: [reward('r', { if: written })] });
    await ledger.vote(...votesOf('Alex', alex), ...votesOf('Sasha', sasha));
    const before = await ledger.owed();
    await ledger.merge('Sasha', 'Alex', june(11));
    expect(await ledger.owed()).toEqual(before);
    await ledger.vote(...votesOf('Alex', next).map((cast) => ({ ...cast, received: june(11) })));
    expect((await ledger.grants()).map(({ occasion }) => occasion)).toEqual(paid);
  },
);

test.each([
  ['total', 'total 7'],
  ['site', 'site A total 5'],
  ['day', 'day 2026-06-03 total 3'],
  ['week', 'week 2026-W23 total 6'],
  ['month', 'month 2026-06 total 7'],
  ['network', 'network 7'],
])('after two names were joined, counts of the %s go on from the votes of both', async (of, next) => {
  const ledger = await ledgers({ sites: LISTS });
  await ledger.vote(...votesOf('Alex', 'A1 A2 B9'), ...votesOf('Sasha', 'A2 A3 C3'));
  await ledger.use({ sites: LISTS, rewards: [reward('r', { if: { votes: { every: 1, of } } })] });
  await ledger.merge('Sasha', 'Alex', june(11));
  await ledger.vote({ player: 'Alex', on: 'A', at: june(3, 13) });
  expect((await ledger.grants()).map(({ occasion }) => occasion)).toEqual([next]);
});

test.each<[object, string, string, number, string]>([
  [{ votes: { at: [4], of: 'week' } }, '3*A7', '3*B7', 8, 'A7'],
  [{ allSites: true }, '3*A7', '3*B7', 8, 'A7'],
  [{ streak: 2 }, 'A1', 'A2', 3, 'A3'],
])(
  'what two names have reached together before a reward started is not paid either: %j, %s and %s from %i June on, with %s',
  async (written, alex, sasha, startsOn, next) => {
    const ledger = await ledgers({ sites: LISTS });
    await ledger.vote(...votesOf('Alex', alex), ...votesOf('Sasha', sasha));
    await ledger.use({ sites: LISTS, rewards: [reward('r', { if: written })] }, june(startsOn));
    await ledger.merge('Sasha', 'Alex', june(11));
    await ledger.vote(...votesOf('Alex', next).map((cast) => ({ ...cast, received: june(11) })));
    expect(await ledger.grants()).toEqual([]);
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
