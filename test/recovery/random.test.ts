import { expect, test } from 'vitest';
import { scriptedServer } from '../listing-client/scripted-api.ts';
import { Seeded } from '../support/seeded.ts';
import { busiestMinute, HOUR, NOW, SITE, scene } from './scene.ts';
import { MANNERS, scattered, telling, told } from './told-api.ts';

test.each(MANNERS.flatMap((manners) => [1, 2, 3].map((seed) => ({ ...manners, seed }))))(
  'any gap is stored as it was cast, in order, each vote once: %o',
  async ({ seed, ...manners }) => {
    const random = new Seeded(seed * 1_000 + MANNERS.findIndex((other) => other.start === manners.start));
    const from = NOW - random.pick([HOUR, 47 * HOUR, 80 * 24 * HOUR]);
    const votes = scattered(random, from, NOW, 1_200).map((time, index) => told(index, time));
    const server = await scriptedServer(telling(votes, manners));
    const { recovery, caughtUp, stored, sent } = scene({
      roots: { [SITE]: server.root },
      api: { payFrom: from },
    });
    recovery.start();
    await caughtUp();
    const rows = await stored();
    expect(rows.map(({ player }) => player)).toEqual(votes.map(({ metadata }) => metadata.playerName));
    expect(rows.map(({ castAt }) => castAt)).toEqual(votes.map(({ votedAt }) => Date.parse(votedAt)));
    expect(rows.every(({ repeats }) => repeats === 0)).toBe(true);
    expect(recovery.status()).toMatchObject([{ found: votes.length, lastFault: null }]);
    expect(busiestMinute(sent)).toBeLessThanOrEqual(25);
  },
);
