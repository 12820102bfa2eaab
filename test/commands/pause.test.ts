import { describe, expect, test } from 'vitest';
import { accountName } from '../../src/platform/account.ts';
import { naming } from '../support/naming.ts';
import { operator } from './operator.ts';

const CONFIG = {
  gameServers: {
    sky: { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'a-password' },
    hub: { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'a-password' },
  },
  rewards: [
    { name: 'thanks', when: 'always', servers: ['sky', 'hub'], commands: ['say {player} voted'] },
    { name: 'daily', servers: ['hub'], commands: ['give {player} diamond 1'] },
  ],
};

const NOON = '2026-06-01T12:00:00.000Z';
const by = accountName();

describe('teller pause', () => {
  test('pauses everything, and says how to go on', async () => {
    const one = await operator(CONFIG);
    expect(await one.teller('pause')).toMatchObject({
      exit: 0,
      out: 'all rewards: paused; `teller resume` ends the pause',
    });
    expect(await one.ledger.pauses()).toEqual([{ server: null, reward: null, at: one.clock.now(), by }]);
  });

  test('pauses a party or a top by its name', async () => {
    const party = [{ name: 'feast', every: 5, servers: ['hub'], commands: ['give {player} cake 1'] }];
    const one = await operator({ ...CONFIG, party });
    expect((await one.teller('pause', '--reward', 'feast')).exit).toBe(0);
    expect(await one.ledger.pauses()).toMatchObject([{ server: null, reward: 'feast' }]);
  });

  test('of what is paused already answers since when and by whom, and is no error', async () => {
    const one = await operator(CONFIG);
    await one.teller('pause', '--server', 'sky');
    one.clock.set('2026-06-01T13:00:00Z');
    const { exit, out } = await one.teller('pause', '--server', 'sky');
    expect([exit, out]).toEqual([
      0,
      `all rewards on sky have been paused since ${NOON} by ${by}, so nothing was changed`,
    ]);
    const { out: json } = await one.teller('pause', '--server', 'sky', '--json');
    expect(JSON.parse(json)).toEqual([{ changed: false, server: 'sky', reward: null, at: NOON, by }]);
  });

  test.each([
    ['server-unknown', '--server', 'ski', 'sky'],
    ['reward-unknown', '--reward', 'dayly', 'daily'],
  ])('refuses a name that the config does not have: %s', async (code, flag, written, meant) => {
    const one = await operator(CONFIG);
    const { exit, err } = await one.teller('pause', flag, written);
    expect([exit, err]).toEqual([2, expect.stringContaining(code)]);
    expect(err).toContain(meant);
    expect(await one.ledger.pauses()).toEqual([]);
  });
});

describe('teller resume', () => {
  test('ends the pause with the same flags, and shows those that are left', async () => {
    const one = await operator(CONFIG);
    await one.teller('pause', '--server', 'sky');
    await one.teller('pause', '--reward', 'daily');
    const { exit, out, err } = await one.teller('resume', '--server', 'sky');
    expect([exit, out]).toEqual([0, 'all rewards on sky: paid again']);
    expect(err).toContain('`teller resume --reward daily` ends the pause');
    expect(await one.ledger.pauses()).toMatchObject([{ server: null, reward: 'daily' }]);
  });

  test('of what is not paused is refused, and shows the pauses that last', async () => {
    const one = await operator(CONFIG);
    await one.teller('pause', '--reward', 'daily');
    const { exit, out, err } = await one.teller('resume', '--server', 'sky');
    expect([exit, out]).toEqual([1, '']);
    expect(err).toContain('[not-paused]');
    expect(err).toContain('`teller resume --reward daily` ends the pause');
  });

  test('of a game server that is away says that it waits, since when and why', async () => {
    const one = await operator(CONFIG);
    for (const server of ['sky', 'hub'])
      await one.ledger.storeQueueState(server, 'unreachable', one.clock.now());
    const { exit, err } = await one.teller('resume', '--server', 'sky');
    expect([exit, err]).toEqual([1, naming('sky', NOON, '[unreachable]', '[not-paused]')]);
    expect(err).not.toContain('hub');
  });

  test('ends the pause of a game server that is no longer in the config', async () => {
    const one = await operator(CONFIG);
    await one.ledger.pause({ server: 'gone', reward: null }, 'admin', one.clock.now());
    expect(await one.teller('resume', '--server', 'gone')).toMatchObject({ exit: 0 });
    expect(await one.teller('resume', '--server', 'gone')).toMatchObject({ exit: 2 });
  });
});

describe('a pause is shown', () => {
  test('by grants, with the grants that it stops in JSON', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'List');
    await one.teller('pause', '--server', 'sky');
    const { err } = await one.teller('grants');
    expect(err).toContain(`all rewards on sky have been paused since 2026-06-01T12:00:00.000Z by ${by}`);
    const { out } = await one.teller('grants', '--json');
    const pause = { server: 'sky', reward: null, at: NOON, by };
    expect(
      JSON.parse(out).map(({ server, pauses }: { server: string; pauses: unknown }) => [server, pauses]),
    ).toEqual([
      ['hub', []],
      ['hub', []],
      ['sky', [pause]],
    ]);
  });

  test('by explain, with what ends it', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'List');
    await one.teller('pause', '--reward', 'daily');
    const { out } = await one.teller('explain', 'Steve');
    expect(out).toContain(`paused: the reward daily has been paused since 2026-06-01T12:00:00.000Z by ${by}`);
    expect(out).toContain('to do: `teller resume --reward daily` ends the pause');
    expect(out.match(/paused:/g)).toHaveLength(1);
  });

  test('by check', async () => {
    const one = await operator(CONFIG);
    await one.teller('pause');
    const { out } = await one.teller('check', '--offline', '--json');
    const found = JSON.parse(out).filter(({ code }: { code: string }) => code === 'paused');
    expect(found).toMatchObject([{ mark: 'warning', toDo: '`teller resume` ends the pause' }]);
  });
});
