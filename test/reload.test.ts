import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configKeys } from '../src/config/describe.ts';
import { loadConfig } from '../src/config/load.ts';
import { systemClock } from '../src/platform/clock.ts';
import { sendVote } from '../src/sender/send-vote.ts';
import { CHANGES, FULL, withValueAt, writeEntries } from './support/config-changes.ts';
import { TOKEN, writeConfig } from './support/config-folder.ts';
import { answer, scripted } from './support/rcon.ts';
import { type RunningApp, runningApp } from './support/running-app.ts';

const reloadWith = async (running: RunningApp, overrides: object) => {
  writeConfig(running.config, overrides);
  return running.app.reload(await loadConfig(running.config));
};

const vote = ({ app }: RunningApp, { service = 'List', player = 'Steve', token = TOKEN } = {}) =>
  sendVote(
    { serviceName: service, username: player, address: '192.0.2.1', timestamp: String(systemClock.now()) },
    { ...app.listener, auth: { version: 'v2', token } },
    { clock: systemClock },
  );

const grantsOf = async ({ look }: RunningApp) =>
  (await look.grants({ limit: 99 }))
    .map(({ reward, server, state }) => `${reward} on ${server}: ${state}`)
    .toReversed();

const POLLING = { timeout: 10_000, interval: 20 };

describe('each key of the config', () => {
  const keys = configKeys().filter(
    ({ key, reload }) =>
      reload !== '' &&
      !key.startsWith('listing.') &&
      !/^(?:sites|gameServers|rewards|party|tops|publish|remind|events)$/.test(key),
  );

  test('is changed by this test', () => {
    expect(Object.keys(CHANGES).toSorted()).toEqual(keys.map(({ key }) => key).toSorted());
  });

  test('is applied by a reload, or is reported as needing a restart, as the table says', async () => {
    const running = await runningApp(systemClock, FULL);
    const folder = dirname(running.config);
    for (const { key, reload } of keys) {
      const [path, value, reported] = CHANGES[key] as (typeof CHANGES)[string];
      const { applied, needRestart } = await running.app.reload(
        await loadConfig(writeEntries(folder, withValueAt(path, value))),
      );
      const found = reload === 'yes' ? applied : needRestart;
      expect(
        found.map((change) => change.key),
        key,
      ).toContain(reported);
      await running.app.reload(await loadConfig(writeEntries(folder, FULL)));
    }
  });
});

describe('after a reload', () => {
  test('the next vote earns the rewards of the new config', async () => {
    const running = await runningApp(systemClock, {
      rewards: [{ name: 'old', commands: ['give {player} dirt 1'] }],
    });
    await vote(running);
    await reloadWith(running, { rewards: [{ name: 'new', commands: ['give {player} diamond 1'] }] });
    await vote(running, { player: 'Alex' });

    await expect
      .poll(() => grantsOf(running), POLLING)
      .toEqual(['old on main: delivered', 'new on main: delivered']);
  });

  test('an added site has its own window', async () => {
    const running = await runningApp(systemClock);
    await vote(running, { service: 'One' });
    await reloadWith(running, { sites: { default: { token: TOKEN }, Two: {} } });
    await vote(running, { service: 'Two' });

    const decisions = (await running.look.votes({ limit: 9 })).map(
      ({ site, decision }) => `${site} ${decision}`,
    );
    expect(decisions).toEqual(['Two rewarded', 'default rewarded']);
  });

  test('the old token is refused and the new one is accepted', async () => {
    const running = await runningApp(systemClock);
    const token = 'another-token-of-thirty-two-chars';
    await reloadWith(running, { sites: { default: { token } } });

    expect(await vote(running)).toMatchObject({ kind: 'failed', code: 'wrong-token' });
    expect(await vote(running, { token })).toMatchObject({ kind: 'accepted' });
  });

  test('the new connection limits and protocols apply', async () => {
    const running = await runningApp(systemClock);
    await reloadWith(running, { listener: { host: '127.0.0.1', port: 0, protocols: ['v1'] } });
    expect(await vote(running)).toMatchObject({ kind: 'failed', code: 'error-reply' });
  });

  test('votes are paid, or left to another listener, as `pay` says, and no command is sent in shadow', async () => {
    const gameServers = { main: { kind: 'practice', joinDelay: '0s' } };
    const rewards = [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }];
    const running = await runningApp(systemClock, { gameServers, rewards });
    const said = () => running.app.practiceServers.get('main')?.commands() ?? [];
    await reloadWith(running, { gameServers, rewards, pay: { mode: 'shadow' } });
    await vote(running, { player: 'Alex' });
    await reloadWith(running, { gameServers, rewards, pay: { mode: 'real' } });
    await vote(running, { player: 'Steve' });
    await expect
      .poll(() => grantsOf(running), POLLING)
      .toEqual(['thanks on main: cancelled', 'thanks on main: delivered']);
    await reloadWith(running, { gameServers, rewards, pay: { from: '2100-01-01' } });
    await vote(running, { player: 'Sasha' });
    expect((await grantsOf(running)).at(-1)).toBe('thanks on main: cancelled');
    expect(said().filter(({ command }) => command.startsWith('say'))).toMatchObject([
      { command: 'say Steve voted' },
    ]);
  });

  test('a game server that replaced the practice server is paid, and grants for the practice server are held', async () => {
    const asked: string[] = [];
    const real = await scripted((packet, socket) => {
      if (packet.type === 3) return answer(socket, packet.id, '', 2);
      asked.push(packet.body);
      answer(
        socket,
        packet.id,
        packet.body.includes('list') ? 'There are 1 of a max of 20 players online: Steve' : 'Gave 1',
      );
    });
    const rewards = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
    const main = { kind: 'practice', autoJoin: false, joinDelay: '0s' };
    const running = await runningApp(systemClock, { rewards, gameServers: { main } });
    await vote(running, { player: 'Alex' });
    await expect.poll(() => grantsOf(running), POLLING).toEqual(['daily on main: waiting']);

    const { host, port } = real;
    await reloadWith(running, {
      rewards,
      gameServers: { main: { kind: 'rcon', host, port, password: 'correct-horse', joinDelay: '0s' } },
    });
    await vote(running);

    await expect
      .poll(() => grantsOf(running), POLLING)
      .toEqual(['daily on main: held', 'daily on main: delivered']);
    expect(asked).toContain('give Steve diamond 1');
    expect(running.app.practiceServers.size).toBe(0);
  });

  test('grants for a game server whose kind has changed are held', async () => {
    const rewards = [{ name: 'daily', when: 'always', commands: ['give {player} diamond 1'] }];
    const main = { kind: 'rcon', port: 1, password: 'correct-horse' };
    const running = await runningApp(systemClock, { rewards, gameServers: { main } });
    await vote(running);
    const http = { kind: 'http', url: 'http://127.0.0.1:1/', secret: 'a-secret-of-thirty-two-characters' };
    await reloadWith(running, { rewards, gameServers: { main: http } });
    expect(await running.look.grants({ limit: 9 })).toMatchObject([
      { state: 'held', reason: { code: 'other-game-server' } },
    ]);
  });

  test('a command in progress ends on its old connection and runs once', async () => {
    const commands: string[] = [];
    let sendReply: () => void = () => {};
    const slow = await scripted((packet, socket) => {
      if (packet.type === 3) return answer(socket, packet.id, '', 2);
      if (packet.body.includes('list'))
        return answer(socket, packet.id, 'There are 0 of a max of 20 players online: ');
      commands.push(packet.body);
      sendReply = () => answer(socket, packet.id, 'said');
    });
    const { host, port } = slow;
    const server = { kind: 'rcon', host, port, password: 'correct-horse' };
    const rewards = [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }];
    const running = await runningApp(systemClock, { rewards, gameServers: { main: server } });
    await vote(running);
    await expect.poll(() => commands, POLLING).toEqual(['say Steve voted']);

    const reloading = reloadWith(running, {
      rewards,
      gameServers: { main: { ...server, commandPause: '1ms' } },
    });
    sendReply();
    expect((await reloading).applied.map(({ key }) => key)).toEqual(['gameServers.main.commandPause']);

    expect(await grantsOf(running)).toEqual(['thanks on main: delivered']);
    expect(commands).toEqual(['say Steve voted']);
  });

  test('the webhook port opens with the first site that has a webhook, and closes with the last', async () => {
    const running = await runningApp(systemClock);
    expect(running.app.webhook).toBeNull();
    const webhook = { path: '/list', secret: 'first-webhook-secret', listingId: '1077' };
    const sites = { default: { token: TOKEN }, List: { webhook } };
    await reloadWith(running, { sites, webhook: { host: '127.0.0.1', port: 0 } });
    expect(running.app.webhook?.port).toBeGreaterThan(0);
    await reloadWith(running, {});
    expect(running.app.webhook).toBeNull();
  });
});
