import { describe, expect, test } from 'vitest';
import { clerk } from '../kit/clerk.ts';
import { here } from '../kit/here.ts';
import { type Desk, rewrite } from '../kit/place.ts';
import { naming } from '../support/naming.ts';

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
  (await run('check', '--offline', '--json')).json.filter(({ code }: { code: string }) => code === 'paused');

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
