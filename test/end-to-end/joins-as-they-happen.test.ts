import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { MANAGEMENT_SECRET, managementServer, STEVE } from '../support/management.ts';
import { PASSWORD, practice } from '../support/rcon.ts';
import { runningApp } from '../support/running-app.ts';
import { voteTo } from '../support/votes-to.ts';

/** A Teller that would read the list over RCON once an hour, and a game server that reports joins. */
async function withManagement() {
  const rcon = await practice();
  const management = await managementServer();
  const { host, port } = rcon;
  const { app, look } = await runningApp(systemClock, {
    gameServers: {
      main: {
        ...{ kind: 'rcon', host, port, password: PASSWORD, joinDelay: '200ms', presenceInterval: '1h' },
        ...{ management: management.url, managementSecret: MANAGEMENT_SECRET },
      },
    },
    rewards: [{ name: 'daily', when: 'online', servers: ['main'], commands: ['give {player} diamond 1'] }],
  });
  onTestFinished(() => app.close());
  return { app, look, rcon, management };
}

test('a vote is paid within a second after the join delay once the player joins, and `list` is not asked', async () => {
  const { app, look, rcon, management } = await withManagement();
  await management.asked(1);
  expect(await voteTo(app.listener.port, 'Steve')).toMatchObject({ kind: 'accepted' });
  await expect.poll(() => look.grantStates(), { timeout: 10_000 }).toEqual({ waiting: 1 });
  const asked = management.methods.length;
  rcon.join('Steve');
  const joinedAt = performance.now();
  management.join(STEVE);
  await expect.poll(() => look.grantStates(), { timeout: 10_000, interval: 20 }).toEqual({ delivered: 1 });
  // The promise is a second after the delay of 200 ms. A busy machine gets a few more; a look by itself comes after an hour.
  expect(performance.now() - joinedAt).toBeLessThan(8_000);
  expect(management.methods.length).toBeGreaterThan(asked);
  expect(rcon.inventory('Steve')).toEqual({ diamond: 1 });
  expect(rcon.commands().filter(({ command }) => command.includes('list uuids'))).toEqual([]);
});

test('after the management protocol was gone, a vote is paid to a player who joined meanwhile', async () => {
  const { app, look, rcon, management } = await withManagement();
  await management.asked(1);
  await voteTo(app.listener.port, 'Steve');
  await expect.poll(() => look.grantStates(), { timeout: 10_000 }).toEqual({ waiting: 1 });
  management.drop();
  rcon.join('Steve');
  management.players = [STEVE];
  await expect.poll(() => look.grantStates(), { timeout: 10_000 }).toEqual({ delivered: 1 });
  expect(rcon.inventory('Steve')).toEqual({ diamond: 1 });
  expect(app.gameServers.map(({ joinReports }) => joinReports)).toEqual([{ kind: 'reported' }]);
});
