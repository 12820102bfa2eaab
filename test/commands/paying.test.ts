import { describe, expect, test } from 'vitest';
import { type Clerk, clerk } from '../kit/clerk.ts';
import { here } from '../kit/here.ts';
import { type Desk, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming, tableIn } from '../support/naming.ts';

describe('a reward that an operator gives', () => {
  const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
  const CONFIG = {
    rewards: [
      DAILY,
      { name: 'milestone', if: { votes: { at: [25] } }, prizes: { 25: ['give {player} beacon 1'] } },
      { name: 'thanks', commands: ['say {player} voted on {site}'] },
    ],
  };

  describe('reward NAME', () => {
    test('grants a reward without a vote, and every trace shows who gave it and when', async () => {
      const { run } = clerk(CONFIG);
      const { out, exit } = await run('reward', 'daily', '--player', 'Steve');
      expect([exit, out]).toEqual([0, expect.stringContaining('give Steve diamond 1')]);
      const given = { by: expect.stringMatching(/\w/), at: '2026-06-01T12:00:00.000Z' };
      const row = { id: 1, voteId: null, reward: 'daily', cause: 'operator', given };
      const grants = await run('grants', '--json');
      expect(grants.json).toMatchObject([row]);
      expect((await run('explain', 'Steve', '--json')).json).toMatchObject([{ id: null, given: [row] }]);
      expect((await run('explain', 'Steve')).out.split('\n')).toContainEqual(
        naming(grants.json[0].given.by, '2026-06-01T12:00:00.000Z'),
      );
      expect(tableIn((await run('grants')).out)[1]).toContain('-');
    });

    test('spends the occasion that is named, once', async () => {
      const { run } = clerk(CONFIG);
      const words = ['milestone', '--player', 'Steve', '--occasion', 'total 25'];
      expect((await run('reward', ...words, '--json')).json).toMatchObject([
        { occasion: 'total 25', commands: [{ command: 'give Steve beacon 1' }] },
      ]);
      const again = await run('reward', ...words);
      expect([again.exit, again.err]).toEqual([1, expect.stringContaining('[occasion-spent]')]);
    });

    test.each([
      ['a reward that is not in the config', ['daly'], 2, 'reward-unknown'],
      ['a name that no player can have', ['daily', '--player', 'a b;'], 2, 'player-not-allowed'],
      ['a text that is no occasion', ['daily', '--occasion', '25'], 2, 'occasion-unknown'],
      ['a game server that the reward does not have', ['daily', '--server', 'x'], 2, 'usage'],
      ['a reward whose commands name a site', ['thanks'], 1, 'reward-unfit'],
      ['a reward with nothing to run', ['milestone'], 1, 'reward-unfit'],
    ])('refuses %s', async (_, words, exit, code) => {
      const { run } = clerk(CONFIG);
      const refused = await run('reward', '--player', 'Steve', ...words);
      expect(refused).toMatchObject({ exit, err: expect.stringContaining(`[${code}]`) });
      expect((await run('grants', '--json')).json).toEqual([]);
    });
  });
});

describe('a pause', () => {
  const closed = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'a-password' };
  const CONFIG = {
    gameServers: { sky: closed, hub: closed },
    rewards: [
      { name: 'thanks', when: 'always', servers: ['sky', 'hub'], commands: ['say {player} voted'] },
      { name: 'daily', servers: ['hub'], commands: ['give {player} diamond 1'] },
    ],
    party: [{ name: 'feast', every: 5, servers: ['hub'], commands: ['give {player} cake 1'] }],
  };

  const NOON = '2026-06-01T12:00:00.000Z';
  const by = expect.stringMatching(/\w/);

  const findings = async ({ run }: Desk) =>
    (await run('check', '--offline', '--json')).json.filter(
      ({ code }: { code: string }) => code === 'paused',
    );

  describe('teller pause', () => {
    test.each([
      [[], null, null, 'all rewards: paused; `teller resume` ends the pause'],
      [['--server', 'sky'], 'sky', null, naming('all rewards on sky', '`teller resume --server sky`')],
      [['--reward', 'feast'], null, 'feast', naming('feast', '`teller resume --reward feast`')],
    ])(
      '%j says how to go on; again, it answers since when and by whom, and is no error',
      async (words, server, reward, out) => {
        const one = clerk(CONFIG);
        expect(await one.run('pause', ...words)).toMatchObject({ exit: 0, out });
        one.at('2026-06-01T13:00:00Z');
        const again = await one.run('pause', ...words, '--json');
        expect([again.exit, again.json]).toEqual([0, [{ changed: false, server, reward, at: NOON, by }]]);
        expect((await one.run('pause', ...words)).out).toMatch(
          new RegExp(`paused since ${NOON} by \\S+, so nothing was changed$`),
        );
      },
    );

    test.each([
      ['server-unknown', '--server', 'ski', 'sky'],
      ['reward-unknown', '--reward', 'dayly', 'daily'],
    ])('refuses a name that the config does not have: %s', async (code, flag, written, meant) => {
      const one = clerk(CONFIG);
      const { exit, err } = await one.run('pause', flag, written);
      expect([exit, err]).toEqual([2, naming(`[${code}]`, meant)]);
      expect(await findings(one)).toEqual([]);
    });
  });

  describe('teller resume', () => {
    test('ends the pause with the same flags, and shows those that are left', async () => {
      const one = clerk(CONFIG);
      await one.run('pause', '--server', 'sky');
      await one.run('pause', '--reward', 'daily');
      const { exit, out, err } = await one.run('resume', '--server', 'sky');
      expect([exit, out]).toEqual([0, 'all rewards on sky: paid again']);
      expect(err).toContain('`teller resume --reward daily` ends the pause');
      const again = await one.run('resume', '--server', 'sky');
      expect([again.exit, again.out]).toEqual([1, '']);
      expect(again.err).toEqual(naming('[not-paused]', '`teller resume --reward daily` ends the pause'));
      expect(await findings(one)).toHaveLength(1);
    });

    test('of a game server that is away says that it waits, since when and why', async () => {
      const teller = await here(CONFIG);
      await teller.vote({ player: 'Steve' });
      const away = () => teller.log.filter(({ code }) => code === 'server-unreachable').length;
      await teller.until(() => away() === 2);
      const { exit, err } = await teller.run('resume', '--server', 'sky');
      expect([exit, err]).toEqual([1, naming('sky', /20\d\d-\S+Z/, '[unreachable]', '[not-paused]')]);
      expect(err).not.toContain('hub');
    });

    test('ends the pause of a game server that is no longer in the config', async () => {
      const gone = { gameServers: { gone: closed }, rewards: [] };
      const one = clerk(gone);
      await one.run('pause', '--server', 'gone');
      rewrite(one, CONFIG);
      expect(await one.run('resume', '--server', 'gone')).toMatchObject({ exit: 0 });
      expect(await one.run('resume', '--server', 'gone')).toMatchObject({ exit: 2 });
    });
  });

  test('a pause is shown by grants, with the grants that it stops in JSON, by explain with what ends it, and by check', async () => {
    const one = clerk(CONFIG);
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
    expect(await findings(one)).toMatchObject([
      { mark: 'warning', toDo: '`teller resume --reward daily` ends the pause' },
    ]);
  });
});

describe('what players earn together', () => {
  const CONFIG = {
    timeZone: 'UTC',
    sites: { default: { token: TOKEN }, List: {}, Other: {} },
    rewards: [],
    party: [{ name: 'all', every: 3, commands: ['give {player} cake 1'] }],
    tops: [{ name: 'best', period: 'month', prizes: { '1': ['give {player} beacon 1'] } }],
  };

  describe('party', () => {
    test('shows how many votes are left until each party', async () => {
      const one = clerk(CONFIG);
      await one.vote('Steve', 'List');
      await one.vote('Alex', 'List');
      const { out, exit } = await one.run('party');
      expect([exit, tableIn(out)]).toEqual([
        0,
        [
          ['PARTY', 'NEXT', 'VOTES', 'LEFT', 'FOR', 'STARTS AGAIN'],
          ['all', '1', '2 of 3', '1', 'voters', 'never'],
        ],
      ]);
      expect((await one.run('party', '--json')).json).toEqual([
        { party: 'all', number: 1, votes: 2, left: 1, every: 3, for: 'voters', reset: null },
      ]);
      expect((await one.run('explain', 'Alex')).out).toEqual(
        naming(/party +all: counted, 1 left until party 1/),
      );
    });
  });

  test('explain shows what a player earned together with others, and its cause', async () => {
    const teller = await here(CONFIG);
    for (const player of ['Steve', 'Alex', 'Sasha']) await teller.vote({ player });
    await teller.until(async () => (await teller.grants()).length === 3);
    expect((await teller.run('explain', 'Alex')).out).toEqual(
      naming(/^ {2}grant \d+ +all for party 1 on main/m, /^ {14}1\. give Alex cake 1/m),
    );
    expect((await teller.run('explain', 'alex', '--json')).json).toMatchObject([
      { together: [{ cause: 'party', occasion: 'party 1', voteId: null, player: 'Alex' }] },
    ]);
  });

  describe('tops', () => {
    async function voted(): Promise<Clerk> {
      const one = clerk(CONFIG);
      await one.vote('Steve', 'List', '2026-06-01T12:00:00Z');
      await one.vote('Alex', 'List', '2026-06-02T12:00:00Z');
      await one.vote('Alex', 'Other', '2026-06-02T13:00:00Z');
      return one;
    }

    test('shows the places of the period in progress', async () => {
      const { out } = await (await voted()).run('tops');
      expect(out.split('\n')[0]).toEqual(
        naming('best', '2026-06', 'not final before 2026-07-01T01:00:00.000Z'),
      );
      expect(tableIn(out).slice(1, 4)).toEqual([
        ['PLACE', 'PLAYER', 'VOTES', 'LATEST', 'PRIZE'],
        ['1', 'Alex', '2', '2026-06-02T13:00:00.000Z', '1'],
        ['2', 'Steve', '1', '2026-06-01T12:00:00.000Z', '-'],
      ]);
    });

    test('shows the places of a period that is over as they were stored', async () => {
      const teller = await here(CONFIG, new FakeClock('2026-06-30T23:00:00Z'));
      await teller.vote({ player: 'Steve' });
      await teller.stop();
      teller.clock.jump(2 * 3_600_000 + 60_000);
      await teller.restart();
      await teller.until(async () => (await teller.grants()).length === 1);
      expect((await teller.run('tops', '--at', '2026-06-30', '--json')).json).toMatchObject([
        {
          top: 'best',
          period: '2026-06',
          isSettled: true,
          places: [{ place: 1, player: 'Steve', votes: 1 }],
        },
      ]);
    });

    test('shows all votes of a period that no entry has', async () => {
      const one = await voted();
      const { json } = await one.run('tops', '--period', 'day', '--at', '2026-06-02', '--json');
      expect(json).toMatchObject([
        { top: null, period: '2026-06-02', isSettled: false, places: [{ player: 'Alex', votes: 2 }] },
      ]);
      expect((await one.run('tops', '--period', 'year')).err).toContain('[usage]');
    });
  });
});

describe('beside another listener', () => {
  /** Alex votes twice, Steve and Sasha once, while another listener pays; then Robin while Teller pays. */
  async function beside(): Promise<Clerk> {
    const rewards = [
      { name: 'thanks', when: 'always', commands: ['say {player}'] },
      { name: 'second', when: 'always', if: { votes: { at: [2] } }, commands: ['say {player}'] },
    ];
    const one = clerk({ rewards, pay: { from: '2026-06-01T11:00Z' }, sites: { default: {} } });
    for (const [player, site, time] of [
      ['Alex', 'A.example', '10:00'],
      ['Alex', 'B.example', '10:01'],
      ['Steve', 'A.example', '10:02'],
      ['Sasha', 'A.example', '10:03'],
      ['Robin', 'A.example', '11:30'],
    ] as const)
      await one.vote(player, site, `2026-06-01T${time}:00Z`);
    return one;
  }

  test('shadow report shows what would have been paid by reward and by player, and which votes the other side lacks', async () => {
    const { out, exit } = await (await beside()).run('shadow', 'report');
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
  });

  test('explain says that nothing was run for a vote that the other side pays, or after a cancellation', async () => {
    const one = await beside();
    expect((await one.run('explain', 'Steve')).out).toContain('say Steve → not run, because the other side');
    const robins = async () => (await one.run('explain', 'Robin')).out;
    expect(await robins()).toContain('say Robin → not tried yet');
    await one.run('grants', 'cancel', '--player', 'Robin', '--yes');
    expect(await robins()).toMatch(/say Robin → not run$/m);
  });
});
