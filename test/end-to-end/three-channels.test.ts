import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { type App, startApp } from '../../src/main/app.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { configFolder, lookInto } from '../support/config-folder.ts';
import { testEnvironment } from '../support/environment.ts';
import { silentLog } from '../support/log.ts';
import { type ListingChannel, ORDERS, SITE, threeChannels } from '../support/three-channels.ts';

/** A Teller and a listing with one vote for Steve, which it reports over any channel when the test says so. */
async function oneVote() {
  const listing = await threeChannels();
  const vote = listing.vote('Steve');
  const { config, ledger } = configFolder(listing.config);
  const start = async () => startApp(await loadConfig(config), testEnvironment(systemClock, silentLog));
  let app: App = await start();
  onTestFinished(() => app.close());
  const look = lookInto(ledger);
  const channels: Readonly<Record<ListingChannel, () => Promise<void>>> = {
    listener: async () => expect(await vote.byListener(app)).toBe('accepted'),
    webhook: async () => expect(await vote.byWebhook(app)).toBe(200),
    api: async () => {
      await vote.byApi();
      app.recovery.nudge(SITE);
      await expect
        .poll(() => look.knownEvents(SITE, [vote.eventId]), { timeout: 10_000 })
        .toEqual(new Set([vote.eventId]));
    },
  };
  const restart = async () => {
    await app.close();
    app = await start();
  };
  const diamonds = () => app.practiceServers.get('main')?.inventory('Steve').diamond ?? 0;
  return { channels, restart, look, diamonds };
}

describe('the same vote by listener, webhook and API', { timeout: 30_000 }, () => {
  test.each(ORDERS)('is one record and one reward: first by %s, then by %s, then by %s', async (...order) => {
    const { channels, look, diamonds } = await oneVote();
    for (const channel of order) await channels[channel]();
    for (const channel of order) await channels[channel]();
    await expect.poll(() => look.grantStates(), { timeout: 10_000 }).toEqual({ delivered: 2 });
    expect(await look.votes({ limit: 9 })).toMatchObject([
      { decision: 'rewarded', player: 'Steve', service: SITE },
    ]);
    expect(diamonds()).toBe(1);
  });

  test.each(ORDERS)(
    'is one record and one reward with a restart after %s, after %s and after %s',
    async (...order) => {
      const { channels, restart, look } = await oneVote();
      for (const channel of order) {
        await channels[channel]();
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

  test('is one record and one reward when it arrives over all channels at once', async () => {
    const { channels, look, diamonds } = await oneVote();
    await Promise.all([
      channels.api(),
      channels.listener(),
      channels.webhook(),
      channels.webhook(),
      channels.listener(),
    ]);
    await expect.poll(() => look.grantStates(), { timeout: 10_000 }).toEqual({ delivered: 2 });
    expect(await look.votes({ limit: 9 })).toHaveLength(1);
    expect(diamonds()).toBe(1);
  });
});
