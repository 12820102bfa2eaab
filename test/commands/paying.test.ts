import { expect, test } from 'vitest';
import { check } from '../kit/check.ts';
import { clerk } from '../kit/clerk.ts';
import { here } from '../kit/here.ts';
import { rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming, refused, tableIn } from '../support/naming.ts';

const NOON = '2026-06-01T12:00:00.000Z';
const by = expect.stringMatching(/\w/);

test('teller reward NAME grants a reward without a vote, and every trace shows who gave it and when; an occasion that is named is spent once', async () => {
  const { run } = clerk({
    rewards: [
      { name: 'daily', commands: ['give {player} diamond 1'] },
      { name: 'milestone', if: { votes: { at: [25] } }, prizes: { 25: ['give {player} beacon 1'] } },
      { name: 'thanks', commands: ['say {player} voted on {site}'] },
    ],
  });
  const give = (...words: string[]) => run('reward', '--player', 'Steve', ...words);
  for (const [words, exit, code] of [
    [['daly'], 2, 'reward-unknown'],
    [['daily', '--player', 'a b;'], 2, 'player-not-allowed'],
    [['daily', '--occasion', '25'], 2, 'occasion-unknown'],
    [['daily', '--server', 'x'], 2, 'usage'],
    // Its commands name a site.
    [['thanks'], 1, 'reward-unfit'],
    // It has nothing to run.
    [['milestone'], 1, 'reward-unfit'],
  ] as const)
    expect(await give(...words)).toEqual(refused(exit, `[${code}]`));
  expect((await run('grants', '--json')).json).toEqual([]);

  expect(await give('daily')).toMatchObject({ exit: 0, out: naming('give Steve diamond 1') });
  const row = { id: 1, voteId: null, reward: 'daily', cause: 'operator', given: { by, at: NOON } };
  const grants = await run('grants', '--json');
  expect(grants.json).toMatchObject([row]);
  expect((await run('explain', 'Steve', '--json')).json).toMatchObject([{ id: null, given: [row] }]);
  const lines = (await run('explain', 'Steve')).out.split('\n');
  expect(lines).toContainEqual(naming(grants.json[0].given.by, NOON));
  expect(tableIn((await run('grants')).out)[1]).toContain('-');
  const milestone = ['milestone', '--occasion', 'total 25'];
  expect((await give(...milestone, '--json')).json).toMatchObject([
    { occasion: 'total 25', commands: [{ command: 'give Steve beacon 1' }] },
  ]);
  expect(await give(...milestone)).toEqual(refused(1, '[occasion-spent]'));
});

const closed = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'a-password' };
const TWO_SERVERS = {
  gameServers: { sky: closed, hub: closed },
  rewards: [
    { name: 'thanks', when: 'always', servers: ['sky', 'hub'], commands: ['say {player} voted'] },
    { name: 'daily', servers: ['hub'], commands: ['give {player} diamond 1'] },
  ],
  party: [{ name: 'feast', every: 5, servers: ['hub'], commands: ['give {player} cake 1'] }],
};

test.each([
  [[], null, null, 'all rewards: paused; `teller resume` ends the pause'],
  [['--server', 'sky'], 'sky', null, naming('all rewards on sky', '`teller resume --server sky`')],
  [['--reward', 'feast'], null, 'feast', naming('feast', '`teller resume --reward feast`')],
])(
  'a pause of %j says how to go on; again, it answers since when and by whom, and is no error',
  async (words, server, reward, out) => {
    const one = clerk(TWO_SERVERS);
    expect(await one.run('pause', ...words)).toMatchObject({ exit: 0, out });
    one.at('2026-06-01T13:00:00Z');
    const again = await one.run('pause', ...words, '--json');
    expect([again.exit, again.json]).toEqual([0, [{ changed: false, server, reward, at: NOON, by }]]);
    const said = new RegExp(`paused since ${NOON} by \\S+, so nothing was changed$`);
    expect((await one.run('pause', ...words)).out).toMatch(said);
  },
);

test('a pause is refused for a name that the config does not have, and ends with the same flags, also when that is gone, which shows those that are left', async () => {
  const one = clerk({ gameServers: { gone: closed }, rewards: [] });
  await one.run('pause', '--server', 'gone');
  rewrite(one, TWO_SERVERS);
  expect((await one.run('resume', '--server', 'gone')).exit).toBe(0);
  expect((await one.run('resume', '--server', 'gone')).exit).toBe(2);
  const findings = async () => (await check(one, '--offline')).of('paused');
  for (const [code, flag, written, meant] of [
    ['server-unknown', '--server', 'ski', 'sky'],
    ['reward-unknown', '--reward', 'dayly', 'daily'],
  ] as const)
    expect(await one.run('pause', flag, written)).toEqual(refused(2, `[${code}]`, meant));
  expect(await findings()).toEqual([]);
  await one.run('pause', '--server', 'sky');
  await one.run('pause', '--reward', 'daily');
  const left = '`teller resume --reward daily` ends the pause';
  const resumed = { exit: 0, out: 'all rewards on sky: paid again', err: expect.stringContaining(left) };
  expect(await one.run('resume', '--server', 'sky')).toMatchObject(resumed);
  expect(await one.run('resume', '--server', 'sky')).toEqual(refused(1, '[not-paused]', left));
  expect(await findings()).toMatchObject([{ mark: 'warning', toDo: left }]);
});

test('a pause that there is not: the command says that the game server is away, since when and why', async () => {
  const teller = await here(TWO_SERVERS);
  await teller.vote({ player: 'Steve' });
  const away = () => teller.log.filter(({ code }) => code === 'server-unreachable').length;
  await teller.until(() => away() === 2);
  const { exit, err } = await teller.run('resume', '--server', 'sky');
  expect([exit, err]).toEqual([1, naming('sky', /20\d\d-\S+Z/, '[unreachable]', '[not-paused]')]);
  expect(err).not.toContain('hub');
});

test('a pause is shown by grants, with the grants that it stops in JSON, and by explain with what ends it', async () => {
  const one = clerk(TWO_SERVERS);
  await one.vote('Steve');
  await one.run('pause', '--server', 'sky');
  expect((await one.run('grants')).err).toContain(`all rewards on sky have been paused since ${NOON} by `);
  const { json } = await one.run('grants', '--json');
  expect(json.map(({ server, pauses }: { server: string; pauses: unknown }) => [server, pauses])).toEqual([
    ['hub', []],
    ['hub', []],
    ['sky', [{ server: 'sky', reward: null, at: NOON, by }]],
  ]);
  await one.run('resume', '--server', 'sky');
  await one.run('pause', '--reward', 'daily');
  const { out } = await one.run('explain', 'Steve');
  expect(out).toContain(`paused: the reward daily has been paused since ${NOON} by `);
  expect(out).toContain('to do: `teller resume --reward daily` ends the pause');
  expect(out.match(/paused:/g)).toHaveLength(1);
});

const TOGETHER = {
  timeZone: 'UTC',
  sites: { default: { token: TOKEN }, List: {}, Other: {} },
  rewards: [],
  party: [{ name: 'all', every: 3, commands: ['give {player} cake 1'] }],
  tops: [{ name: 'best', period: 'month', prizes: { '1': ['give {player} beacon 1'] } }],
};

test('party shows how many votes are left until each party, and tops the places of a period in progress, also one that no entry has', async () => {
  const one = clerk(TOGETHER);
  await one.vote('Steve', 'List');
  await one.vote('Alex', 'List', '2026-06-02T12:00:00Z');
  const party = await one.run('party');
  expect([party.exit, tableIn(party.out)]).toEqual([
    0,
    [
      ['PARTY', 'NEXT', 'VOTES', 'LEFT', 'FOR', 'STARTS AGAIN'],
      ['all', '1', '2 of 3', '1', 'voters', 'never'],
    ],
  ]);
  expect((await one.run('party', '--json')).json).toEqual([
    { party: 'all', number: 1, votes: 2, left: 1, every: 3, for: 'voters', reset: null },
  ]);
  expect((await one.run('explain', 'Alex')).out).toEqual(naming(/party +all: counted, 1 left until party 1/));

  await one.vote('Alex', 'Other', '2026-06-02T13:00:00Z');
  const { out } = await one.run('tops');
  const final = 'not final before 2026-07-01T01:00:00.000Z';
  expect(out.split('\n')[0]).toEqual(naming('best', '2026-06', final));
  expect(tableIn(out).slice(1, 4)).toEqual([
    ['PLACE', 'PLAYER', 'VOTES', 'LATEST', 'PRIZE'],
    ['1', 'Alex', '2', '2026-06-02T13:00:00.000Z', '1'],
    ['2', 'Steve', '1', NOON, '-'],
  ]);
  const { json } = await one.run('tops', '--period', 'day', '--at', '2026-06-02', '--json');
  expect(json).toMatchObject([
    { top: null, period: '2026-06-02', isSettled: false, places: [{ player: 'Alex', votes: 2 }] },
  ]);
  expect((await one.run('tops', '--period', 'year')).err).toContain('[usage]');
});

test('explain shows what a player earned together with others, and its cause; tops shows the places of a period that is over as they were stored', async () => {
  const teller = await here(TOGETHER, new FakeClock('2026-06-30T23:00:00Z'));
  for (const player of ['Steve', 'Alex', 'Sasha']) {
    await teller.vote({ player });
    await teller.pass(50);
  }
  await teller.until(async () => (await teller.grants()).length === 3);
  expect((await teller.run('explain', 'Alex')).out).toEqual(
    naming(/^ {2}grant \d+ +all for party 1 on main/m, /^ {14}1\. give Alex cake 1/m),
  );
  expect((await teller.run('explain', 'alex', '--json')).json).toMatchObject([
    { together: [{ cause: 'party', occasion: 'party 1', voteId: null, player: 'Alex' }] },
  ]);
  await teller.restart(() => teller.clock.jump(2 * 3_600_000 + 60_000));
  await teller.until(async () => (await teller.grants()).length === 4);
  const [top] = (await teller.run('tops', '--at', '2026-06-30', '--json')).json;
  expect(top).toMatchObject({ top: 'best', period: '2026-06', isSettled: true });
  expect(top.places[0]).toMatchObject({ place: 1, player: 'Steve', votes: 1 });
});

test('beside another listener, shadow report shows what would have been paid and which votes the other side lacks, and explain that nothing was run', async () => {
  const rewards = [
    { name: 'thanks', when: 'always', commands: ['say {player}'] },
    { name: 'second', when: 'always', if: { votes: { at: [2] } }, commands: ['say {player}'] },
  ];
  const one = clerk({ rewards, pay: { from: '2026-06-01T11:00Z' }, sites: { default: {} } });
  for (const [player, site, time] of [
    // The other listener pays these.
    ['Alex', 'A.example', '10:00'],
    ['Alex', 'B.example', '10:01'],
    ['Steve', 'A.example', '10:02'],
    ['Sasha', 'A.example', '10:03'],
    // Teller pays.
    ['Robin', 'A.example', '11:30'],
  ] as const)
    await one.vote(player, site, `2026-06-01T${time}:00Z`);
  const { out, exit } = await one.run('shadow', 'report');
  expect(exit).toBe(0);
  expect(out.split('\n').map((line) => line.trim())).toEqual(
    expect.arrayContaining([
      naming('2026-05-31T11:30:00.000Z', '3 votes', '3 players'),
      expect.stringMatching(/^thanks +3 +3$/),
      expect.stringMatching(/^Alex +1 +thanks$/),
      naming('1 vote '),
      expect.stringMatching(/^Robin +1$/),
    ]),
  );
  const explained = async (player: string) => (await one.run('explain', player)).out;
  expect(await explained('Steve')).toContain('say Steve → not run, because the other side');
  expect(await explained('Robin')).toContain('say Robin → not tried yet');
  await one.run('grants', 'cancel', '--player', 'Robin', '--yes');
  expect(await explained('Robin')).toMatch(/say Robin → not run$/m);
});
