import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeVotePayload } from '../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER, signBody } from '../../protocol/webhook/signature.ts';
import { type App, startApp, surroundings } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemDice } from '../../src/runtime/dice.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { servePages } from '../../src/web/server.ts';
import { listingService } from '../listing/listing-service.ts';
import { configFolder, lookInto, TOKEN } from '../support/config-folder.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { silentLog } from '../support/log.ts';

const SITE = 'My-List.com';
const SECRET = 'whsec_three-roads';
const USER = '80351110224678912';
const HOUR = 3_600_000;

type Road = 'listener' | 'webhook' | 'api';

/** A listing with one vote for Steve, which it tells of by every road when the test says so; and a Teller. */
async function oneVote() {
  const votedAt = Date.now();
  const service = listingService({ clock: new FakeClock(votedAt) });
  const { listing, token } = await service.owner('minecraft', 'votes:read');
  const api = await servePages((request, bindings) => service.api.fetch(request, bindings), {
    ...{ host: '127.0.0.1', port: 0, key: '--port', likelyHolder: 'nobody', hasPassword: true },
    clock: systemClock,
  });
  onTestFinished(() => api.close());
  const { config, ledger } = configFolder({
    sites: {
      default: { token: TOKEN },
      [SITE]: {
        api: {
          baseUrl: `http://127.0.0.1:${api.address.port}/api/v1`,
          token,
          payFrom: new Date(votedAt - HOUR).toISOString(),
        },
        webhook: { path: '/votes', secret: SECRET, listingId: listing.id },
      },
    },
    webhook: { host: '127.0.0.1', port: 0 },
  });
  const start = async () =>
    startApp(await loadConfig(config), surroundings(systemClock, systemDice, silentLog));
  let app: App = await start();
  onTestFinished(() => app.close());
  const look = lookInto(ledger);
  const vote = {
    ...{ id: '01890000-0000-7000-8000-000000000001', listingId: listing.id, userId: USER },
    ...{ player: 'Steve', castAt: votedAt, nextAt: votedAt + 24 * HOUR, weight: 1 },
  };

  const roads: Readonly<Record<Road, () => Promise<void>>> = {
    listener: async () => {
      const wire = { serviceName: SITE, username: 'Steve', address: '0.0.0.0', timestamp: String(votedAt) };
      const to = { ...app.listener, auth: { version: 'v2', token: TOKEN } } as const;
      expect(await sendVote(wire, to, { clock: systemClock })).toMatchObject({ code: 'accepted' });
    },
    webhook: async () => {
      const { player: playerName, castAt, nextAt: nextVoteAt } = vote;
      const body = encodeVotePayload(
        {
          eventId: vote.id,
          listingId: listing.id,
          userId: USER,
          votedAt: castAt,
          nextVoteAt,
          weight: 1,
          game: 'minecraft',
          playerName,
        },
        castAt,
      );
      const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signBody(body, SECRET) };
      const url = `http://127.0.0.1:${app.webhook?.port}/votes`;
      expect((await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })).status).toBe(200);
    },
    api: async () => {
      service.database.prepare('DELETE FROM budgets').run();
      if (
        (await look.votes({ limit: 9 })).length === 0 ||
        !service.database.prepare('SELECT 1 FROM votes').get()
      ) {
        await service.store.write(() => service.store.voting.record(listing, vote));
      }
      app.recovery.nudge(SITE);
      await expect
        .poll(() => look.knownEvents(SITE, [vote.id]), { timeout: 10_000 })
        .toEqual(new Set([vote.id]));
    },
  };
  const restart = async () => {
    await app.close();
    app = await start();
  };
  const diamonds = () => app.practiceServers.get('main')?.inventory('Steve').diamond ?? 0;
  return { roads, restart, look, diamonds, close: () => app.close() };
}

const orders: readonly (readonly Road[])[] = [
  ['listener', 'webhook', 'api'],
  ['listener', 'api', 'webhook'],
  ['webhook', 'listener', 'api'],
  ['webhook', 'api', 'listener'],
  ['api', 'listener', 'webhook'],
  ['api', 'webhook', 'listener'],
];

describe('the same vote by listener, webhook and API', { timeout: 30_000 }, () => {
  test.each(orders)('is one record and one reward: first by %s, then by %s, then by %s', async (...order) => {
    const { roads, look, diamonds } = await oneVote();
    for (const road of order) await roads[road]();
    for (const road of order) await roads[road]();
    await expect.poll(() => look.grantStates(), { timeout: 10_000 }).toEqual({ delivered: 2 });
    expect(await look.votes({ limit: 9 })).toMatchObject([
      { decision: 'rewarded', player: 'Steve', service: SITE },
    ]);
    expect(diamonds()).toBe(1);
  });

  test.each(orders)(
    'is one record and one reward with a restart after %s, after %s and after %s',
    async (...order) => {
      const { roads, restart, look } = await oneVote();
      for (const road of order) {
        await roads[road]();
        await restart();
      }
      await expect.poll(() => look.grantStates(), { timeout: 10_000 }).toEqual({ delivered: 2 });
      expect(await look.votes({ limit: 9 })).toMatchObject([{ decision: 'rewarded' }]);
      expect((await look.grants({ limit: 9 })).map(({ reward }) => reward).sort()).toEqual([
        'daily',
        'thanks',
      ]);
    },
  );

  test('is one record and one reward when all roads are taken at once', async () => {
    const { roads, look, diamonds } = await oneVote();
    await Promise.all([roads.api(), roads.listener(), roads.webhook(), roads.webhook(), roads.listener()]);
    await expect.poll(() => look.grantStates(), { timeout: 10_000 }).toEqual({ delivered: 2 });
    expect(await look.votes({ limit: 9 })).toHaveLength(1);
    expect(diamonds()).toBe(1);
  });
});
