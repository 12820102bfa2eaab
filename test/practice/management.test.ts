import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/config/config.ts';
import type { PlayerNews } from '../../src/delivery/game-server.ts';
import { ManagementLink } from '../../src/delivery/kinds/management/link.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { PracticeServer } from '../../src/practice/server.ts';
import { silentLog } from '../support/log.ts';
import { client, practice } from '../support/rcon.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

/** A practice server, and our client of its management protocol. */
async function linked(server: PracticeServer, secret = server.management?.secret ?? '') {
  const managementLink = new ManagementLink({
    ...{ url: `ws://127.0.0.1:${server.management?.port}`, secret: new Secret(secret), certificate: null },
    ...{ timeoutMs: 5_000, name: 'main', clock: systemClock, random: systemRandom, log: silentLog },
  });
  const gameServer = client(server, { managementLink });
  const news: PlayerNews[] = [];
  gameServer.watchPlayers?.((each) => news.push(each));
  onTestFinished(() => gameServer.close());
  return { gameServer, news };
}

test('a practice server lists its players and reports who joins, leaves and is renamed', async () => {
  const server = await practice({ managementPort: 0 });
  server.join('Bob');
  const { gameServer, news } = await linked(server);
  await expect.poll(() => news).toEqual([{ kind: 'reports-again' }]);
  server.join('Alex', ALEX);
  server.join('Toni', ALEX);
  server.leave('Bob');
  server.leave('Bob');
  await expect
    .poll(() => news.slice(1))
    .toEqual([
      { kind: 'joined', player: 'Alex' },
      { kind: 'left', player: 'Alex' },
      { kind: 'joined', player: 'Toni' },
      { kind: 'left', player: 'Bob' },
    ]);
  expect(await gameServer.presence([])).toEqual({
    ...{ kind: 'known', isBeside: true, names: ['Toni'], uuids: new Map([['toni', ALEX]]) },
  });
  expect(server.commands()).toEqual([]);
});

test('it shows the same UUIDs as its list over RCON', async () => {
  const server = await practice({ managementPort: 0 });
  server.join('Bob');
  const { gameServer, news } = await linked(server);
  await expect.poll(() => news.length).toBe(1);
  const { isBeside: _, ...listed } = (await gameServer.presence([])) as { isBeside?: true };
  expect(await client(server).presence([])).toEqual(listed);
});

test('it refuses another secret, which has 40 letters and digits', async () => {
  const server = await practice({ managementPort: 0 });
  expect(server.management?.secret).toMatch(/^[A-Za-z0-9]{40}$/);
  const { gameServer } = await linked(server, 'another');
  await expect.poll(() => gameServer.joinReports).toMatchObject({ code: 'management-wrong-secret' });
});

test('a crash ends its connections', async () => {
  const server = await practice({ managementPort: 0, crashDownMs: 60_000 });
  const { gameServer, news } = await linked(server);
  await expect.poll(() => news.length).toBe(1);
  server.setFault('crash-with-rollback', 1);
  expect(await client(server).run('say hi')).toMatchObject({ kind: 'unknown' });
  await expect.poll(() => gameServer.joinReports).toMatchObject({ kind: 'unreported' });
});

test('if its port is taken, the practice server does not start', async () => {
  const port = (await practice({ managementPort: 0 })).management?.port ?? 0;
  await expect(practice({ managementPort: port })).rejects.toMatchObject({ code: 'port-in-use' });
});

test('without a port for it, there is none', async () => {
  const server = await practice();
  expect(server.management).toBeNull();
});
