import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { seededRandom } from '../../src/core/seeded-random.ts';
import { kindOfCommand, Sums } from '../../src/operator/simulation/month/sums.ts';
import { monthVotes, steadyVotes } from '../../src/operator/simulation/month/voters.ts';
import { configFolder, TOKEN } from '../support/config-folder.ts';

const SITES = { default: { token: TOKEN }, 'A.net': {}, 'B.net': { cooldown: 'day' } };
const FROM = Date.parse('2026-11-01T00:00:00Z');

const configOf = async (sites: object = SITES): Promise<Config> =>
  loadConfig(configFolder({ sites, timeZone: 'UTC' }).config, { missingSecrets: 'defer' });

const plan = { voters: 40, days: 30, votes: undefined, from: FROM, zone: 'UTC' };

describe('the votes of a month', () => {
  test('are in the order of their times, within its days', async () => {
    const votes = monthVotes(plan, await configOf(), seededRandom(7));
    const times = votes.map(({ vote }) => vote.castAt);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(FROM);
    expect(times.at(-1)).toBeLessThan(Date.parse('2026-12-01T00:00:00Z'));
  });

  test('are the same for the same seed, and others for another', async () => {
    const config = await configOf();
    const first = monthVotes(plan, config, seededRandom(7));
    expect(monthVotes(plan, config, seededRandom(7))).toEqual(first);
    expect(monthVotes(plan, config, seededRandom(8))).not.toEqual(first);
  });

  test('are exactly as many as wanted, fewer or more than players usually cast', async () => {
    const config = await configOf();
    for (const votes of [1, 100, 2_400, 5_000]) {
      expect(monthVotes({ ...plan, votes }, config, seededRandom(7))).toHaveLength(votes);
    }
  });

  test('are cast by some players nearly every day on all sites, and by others now and then', async () => {
    const votes = monthVotes(plan, await configOf(), seededRandom(7));
    const counts = new Map<string, number>();
    for (const { vote } of votes) counts.set(vote.recipient.key, (counts.get(vote.recipient.key) ?? 0) + 1);
    const sorted = [...counts.values()].sort((a, b) => b - a);
    // Of 60 places, a diligent player takes 97% of the days and of the sites.
    expect(sorted.slice(0, 10).every((count) => count >= 50)).toBe(true);
    expect(sorted.filter((count) => count < 15).length).toBeGreaterThanOrEqual(10);
  });

  test('wait until the cooldown of the site is over', async () => {
    const votes = monthVotes(plan, await configOf(), seededRandom(7));
    const ofOne = votes.filter(({ vote }) => vote.recipient.key === 'voter_01' && vote.service === 'A.net');
    const gaps = ofOne.slice(1).map(({ vote }, at) => vote.castAt - (ofOne[at]?.vote.castAt ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(24 * 3_600_000);
  });

  test('come from a stand-in service if no site is listed, and from user IDs on listings for other games', async () => {
    const none = await configOf({ default: { token: TOKEN } });
    expect(new Set(monthVotes(plan, none, seededRandom(7)).map(({ vote }) => vote.service))).toEqual(
      new Set(['Teller test']),
    );
    const five = await configOf({ default: { token: TOKEN }, 'Five.example': { game: 'fivem' } });
    const kinds = monthVotes(plan, five, seededRandom(7)).map(({ vote }) => vote.recipient.kind);
    expect(new Set(kinds)).toEqual(new Set(['user']));
  });
});

test('the votes of one player are each cast as soon as the window of the last one is over', async () => {
  const config = await configOf();
  const at = Date.parse('2026-11-01T18:00:00Z');
  const votes = steadyVotes('Steve', ['A.net', 'B.net'], 5, at, config);
  expect(votes.map(({ vote }) => [vote.service, new Date(vote.castAt).toISOString()])).toEqual([
    ['A.net', '2026-11-01T18:00:00.000Z'],
    ['B.net', '2026-11-01T18:00:00.000Z'],
    ['B.net', '2026-11-02T00:00:00.000Z'],
    ['A.net', '2026-11-02T18:00:00.000Z'],
    ['B.net', '2026-11-03T00:00:00.000Z'],
  ]);
});

describe('what commands add up to', () => {
  test.each([
    ['give Alex diamond 3', 'give {player} diamond', 3],
    ['give Alex beacon', 'give {player} beacon', 1],
    ['minecraft:give Alex beacon', 'minecraft:give {player} beacon', 1],
    ['eco give Alex 250.5', 'eco give {player}', 250.5],
    ['xp add Alex 100 levels', 'xp add {player} … levels', 100],
    ['crate key give Alex vote 2', 'crate key give {player} vote', 2],
    ['execute as Alex run give Alex dirt 4', 'execute as {player} run give {player} dirt', 4],
    ['effect give Alex speed 30 1', 'effect give {player} speed 30 1', null],
    ['lp user Alex parent add vip', 'lp user {player} parent add vip', null],
    ['whitelist add Alex', 'whitelist add {player}', null],
    ['say Alex has 25 votes, give 5', 'say {player} has … votes, give …', null],
    ['title Alex times 20 60 20', 'title {player} times 20 60 20', null],
  ])('%s', (written, command, amount) => {
    expect(kindOfCommand(written, 'Alex')).toEqual({ command, amount });
  });

  test('amounts are added up for all players and listed before other commands, the most frequent first', () => {
    const sums = new Sums();
    sums.add('say Alex voted', 'Alex');
    sums.add('give Alex dirt 1', 'Alex');
    sums.add('give Alex diamond 2', 'Alex');
    sums.add('give Steve diamond 3', 'Steve');
    expect(sums.all()).toEqual([
      { command: 'give {player} diamond', runs: 2, amount: 5 },
      { command: 'give {player} dirt', runs: 1, amount: 1 },
      { command: 'say {player} voted', runs: 1, amount: null },
    ]);
  });
});
