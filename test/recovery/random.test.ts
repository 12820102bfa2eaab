import { expect, test } from 'vitest';
import { scriptedServer } from '../listing-client/scripted-api.ts';
import { Seeded } from '../support/seeded.ts';
import { busiestMinute, HOUR, NOW, recoveringTeller, SITE } from './recovering-teller.ts';
import { BEHAVIOURS, clusteredTimes, record, reporting } from './reporting-api.ts';

test.each(BEHAVIOURS.flatMap((behaviour) => [1, 2, 3].map((seed) => ({ ...behaviour, seed }))))(
  'any gap is recovered in the order in which its votes were cast, each vote once: %o',
  async ({ seed, ...behaviour }) => {
    const random = new Seeded(
      seed * 1_000 + BEHAVIOURS.findIndex((other) => other.start === behaviour.start),
    );
    const from = NOW - random.pick([HOUR, 47 * HOUR, 80 * 24 * HOUR]);
    const votes = clusteredTimes(random, from, NOW, 1_200).map((time, index) => record(index, time));
    const server = await scriptedServer(reporting(votes, behaviour));
    const { recovery, catchUp, stored, sent } = recoveringTeller({
      roots: { [SITE]: server.root },
      api: { payFrom: from },
    });
    recovery.start();
    await catchUp();
    const rows = await stored();
    expect(rows.map(({ player }) => player)).toEqual(votes.map(({ metadata }) => metadata.playerName));
    expect(rows.map(({ castAt }) => castAt)).toEqual(votes.map(({ votedAt }) => Date.parse(votedAt)));
    expect(rows.every(({ repeats }) => repeats === 0)).toBe(true);
    expect(recovery.status()).toMatchObject([{ found: votes.length, lastFault: null }]);
    expect(busiestMinute(sent)).toBeLessThanOrEqual(25);
  },
);
