import { expect, test } from 'vitest';
import { type Together, together } from '../kit/together.ts';

const BEST = {
  name: 'best',
  period: 'month',
  prizes: {
    '1': ['give {player} beacon 1', 'say {player} won {occasion} with {votesMonth} votes'],
    '2..3': ['give {player} diamond 5'],
  },
};

const JUNE = [
  'Sasha: top 2026-06 place 1 on main',
  'Steve: top 2026-06 place 2 on main',
  'Alex: top 2026-06 place 3 on main',
];

type Cast = readonly (readonly [player: string, ...times: string[]])[];

const VOTES: Cast = [
  ['Alex', '06-02T10:00', '06-20T10:00'],
  ['Steve', '06-03T10:00', '06-19T10:00'],
  ['Sasha', '06-04T10:00', '06-05T10:00', '06-06T10:00'],
  ['Robin', '06-30T23:59:59', '07-01T00:00', '07-01T00:00:02', '07-01T00:00:04'],
];

/** Votes that were cast at these times, of which the operator learns now. */
async function cast({ teller }: Together, votes: Cast): Promise<void> {
  for (const [player, ...times] of votes)
    for (const time of times)
      await teller.run('votes', 'add', '--player', player, '--site', 'List', '--at', `2026-${time}Z`);
}

/** A top of each month that a config has contained since 1 June 2026. It is half a minute before the places of June are final. */
async function start(more: object = {}, config: object = {}, votes = VOTES): Promise<Together> {
  const one = await together({ tops: [{ ...BEST, ...more }], ...config });
  one.sleepUntil('2026-07-01T00:59:30Z');
  await cast(one, votes);
  return one;
}

const places = async ({ teller }: Together) =>
  (await teller.run('tops', '--at', '2026-06-30', '--json')).json[0].places.map(
    ({ place, player, votes }: Record<string, unknown>) => `${place} ${player} ${votes}`,
  );

test('a top pays the players with the most votes of a month, an hour after it', async () => {
  const one = await start();
  await one.pass(20_000);
  expect(await one.owed()).toEqual([]);
  await one.untilOwed(3);
  expect(await one.owed()).toEqual(JUNE);
  const [first] = (await one.teller.run('explain', 'Sasha', '--json')).json.flatMap(
    ({ together: grants = [] }: { together?: object[] }) => grants,
  );
  expect(first).toMatchObject({ cause: 'top', voteId: null, choice: { from: 'prizes', name: '1' } });
  expect((await one.teller.grants())[0]?.commands.map(({ command }) => command)).toEqual([
    'give Sasha beacon 1',
    'say Sasha won top 2026-06 place 1 with 3 votes',
  ]);
});

test('a top is not changed by votes that come later', async () => {
  const one = await start();
  await one.untilOwed(3);
  await cast(one, [['Zoe', '06-07T10:00', '06-08T10:00', '06-09T10:00', '06-10T10:00']]);
  await one.pass(45_000);
  expect(await one.owed()).toEqual(JUNE);
  expect(await places(one)).toEqual(['1 Sasha 3', '2 Steve 2', '3 Alex 2', '4 Robin 1']);
});

test('a top pays every period of a long time in which Teller was down, the oldest first', async () => {
  const one = await start();
  await one.teller.stop();
  one.sleepUntil('2026-09-03T12:00:00Z');
  await cast(one, [['Zoe', '08-05T10:00']]);
  await one.teller.restart();
  await one.untilOwed(5);
  expect(await one.owed()).toEqual([
    ...JUNE,
    'Robin: top 2026-07 place 1 on main',
    'Zoe: top 2026-08 place 1 on main',
  ]);
});

test('a top does not pay periods that ended before a running config first contained it, or contained such periods', async () => {
  const one = await start();
  await one.untilOwed(3);
  one.sleepUntil('2026-07-09T12:00:00Z');
  const weekly = { ...BEST, period: 'week' };
  await one.teller.reload({ timeZone: 'UTC', rewards: [], tops: [weekly] });
  await cast(one, [['Zoe', '07-01T10:00', '07-08T10:00']]);
  one.sleepUntil('2026-07-13T02:00:00Z');
  await one.untilOwed(4);
  // The 27th week ended before, and the 28th while the config contained weeks.
  expect(await one.owed()).toEqual([...JUNE, 'Zoe: top 2026-W28 place 1 on main']);
});

test.each([
  [
    'gives a place to those who share it, and none to those who are left out',
    { ties: 'share', exclude: ['sasha'] },
    [
      'Steve: top 2026-06 place 1 on main',
      'Alex: top 2026-06 place 1 on main',
      'Robin: top 2026-06 place 3 on main',
    ],
  ],
  [
    'counts only the votes that its conditions let through',
    { if: { weekday: ['sat'] } },
    ['Sasha: top 2026-06 place 1 on main', 'Alex: top 2026-06 place 2 on main'],
  ],
])('a top %s', async (_, more, owed) => {
  const one = await start(more);
  await one.untilOwed(owed.length);
  expect(await one.owed()).toEqual(owed);
});

test('a top that is settled after a player was forgotten has the next one on their place', async () => {
  const one = await start();
  await one.teller.run('players', 'forget', 'Sasha', '--yes');
  await one.untilOwed(3);
  expect(await places(one)).toEqual(['1 Steve 2', '2 Alex 2', '3 Robin 1']);
  expect(await one.owed()).toHaveLength(3);
});

test('a top that was settled before stays as it is, and what is still owed to who was forgotten is cancelled', async () => {
  const one = await start();
  await one.untilOwed(3);
  await one.teller.run('players', 'forget', 'Sasha', '--yes');
  await one.pass(45_000);
  expect(await places(one)).toEqual(['1 forgotten-3 3', '2 Steve 2', '3 Alex 2', '4 Robin 1']);
  expect((await one.teller.grants()).map(({ state }) => state)).toEqual(['cancelled', 'waiting', 'waiting']);
});
