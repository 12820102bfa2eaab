import { expect, test } from 'vitest';
import { type Cast, june, ledgers, reward, SECOND } from '../kit/ledgers.ts';

const SHORT = { cooldown: '1s' };
const SITES = { default: SHORT, A: SHORT, B: SHORT };

/** Votes of a player as `20*A1 B9`: 20 on the list A on the first of June, and one on B on the ninth. */
const votesOf = (player: string, written: string): Cast[] =>
  [...written.matchAll(/(?:(\d+)\*)?([A-Z])(\d+)/g)].flatMap(([, count = '1', list = '', date]) =>
    Array.from({ length: Number(count) }, (_, n) => ({
      player,
      on: list,
      at: june(Number(date)) + 2 * n * SECOND,
    })),
  );

/** What is passed when Alex and Sasha, with these votes, become one player. @param startsOn the date of the reward's start. */
async function passed(written: object, alex: string, sasha: string, startsOn = 1) {
  const ledger = await ledgers({ sites: SITES });
  await ledger.vote(...votesOf('Alex', alex), ...votesOf('Sasha', sasha));
  await ledger.use({ sites: SITES, rewards: [reward('r', { if: written })] }, june(startsOn));
  await ledger.merge('Sasha', 'Alex');
  expect(await ledger.grantStates()).toEqual({});
  return ((await ledger.player('Alex'))?.passed ?? []).map(({ occasion }) => occasion).toSorted();
}

const MANY = ['20*A1', '8*A9'] as const;
const RUN = ['A1 A2 A3 A4', 'A5 A6 A7'] as const;

test.each<[object, string, string, string[]]>([
  [{ votes: { every: 25 } }, ...MANY, ['total 25']],
  [{ votes: { at: [8, 20, 21, 28, 29] } }, ...MANY, ['total 21', 'total 28']],
  [{ votes: { every: 25 }, chance: '5%' }, ...MANY, ['total 25']],
  [{ votes: { every: 5, sites: ['A'] } }, '3*A1 9*B1', '3*A2 B2', ['total 5']],
  [{ votes: { every: 5, of: 'site' } }, '3*A1', '3*A2', ['site A total 5']],
  [{ streak: 7 }, ...RUN, ['streak 7 reached 2026-06-07']],
  [{ streak: { length: 2, repeat: true } }, ...RUN, ['streak 6 reached 2026-06-06']],
  [{ streak: 8 }, ...RUN, []],
  [{ streak: 3 }, 'A1 A2 A3', 'A4 A5', []],
  [{ streak: { length: 2, per: 'week', votes: 2 } }, 'A1 A8', 'A2 A9', ['streak 2 reached 2026-W24']],
  [{ allSites: true }, 'A1 A2', 'B1 A2', ['day 2026-06-01']],
  [{ allSites: { within: 'week' } }, 'A1 A2', 'B1 A2', []],
  [{ firstVote: true }, 'A1', 'B1', []],
  [{ firstVote: 'site' }, 'A1', 'B1', []],
  [{ firstVote: 'day' }, 'A1', 'B1', []],
  [{ returning: '1d' }, 'A1', 'B9', []],
  [{ votes: { at: [2] }, allSites: true }, 'A1', 'B1', ['total 2, day 2026-06-01']],
  [{ votes: { at: [3] }, allSites: true }, 'A1', 'B1', []],
  [{ any: [{ votes: { at: [2] } }, { allSites: true }] }, 'A1', 'B1', ['day 2026-06-01', 'total 2']],
])(
  'two names that become one player: %j with %s and %s passes %j, and pays nothing',
  async (written, alex, sasha, names) => {
    expect(await passed(written, alex, sasha)).toEqual(names);
  },
);

test.each([
  ['site', ['site A total 3', 'site A total 4']],
  ['day', ['day 2026-06-02 total 2']],
  ['week', ['week 2026-W23 total 4', 'week 2026-W23 total 5']],
  ['month', ['month 2026-06 total 4', 'month 2026-06 total 5', 'month 2026-06 total 6']],
  ['network', []],
])('counts of the %s are passed only where there are votes under both names', async (of, names) => {
  expect(await passed({ votes: { every: 1, of } }, 'A1 A2 B9', 'A2 A3 C3')).toEqual(names);
});

test.each<[object, string, string, number, string[]]>([
  [{ votes: { at: [4], of: 'week' } }, '3*A7', '3*B7', 8, []],
  [{ votes: { at: [4], of: 'month' } }, '3*A7', '3*B7', 8, ['month 2026-06 total 4']],
  [{ allSites: true }, '3*A7', '3*B7', 8, []],
  [{ streak: 2 }, 'A1', 'A2', 3, []],
  [{ streak: 2 }, 'A1', 'A2', 2, ['streak 2 reached 2026-06-02']],
])(
  'nothing is passed of what ended before the reward started: %j with %s and %s from %i June on',
  async (written, alex, sasha, startsOn, names) => {
    expect(await passed(written, alex, sasha, startsOn)).toEqual(names);
  },
);

test('a name without votes passes nothing', async () => {
  const ledger = await ledgers({ sites: SITES, rewards: [reward('r', { if: { votes: { every: 1 } } })] });
  await ledger.vote(...votesOf('Alex', '28*A1'));
  await ledger.see({ Alex: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' });
  await ledger.see({ Sasha: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' });
  expect((await ledger.player('Alex'))?.passed).toEqual([]);
});
