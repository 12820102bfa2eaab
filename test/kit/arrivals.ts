/** Votes as they arrive under a config that is written as operators write it. Free of vitest, for processes of their own. */
import type { Config } from '../../src/config/config.ts';
import { examineText } from '../../src/config/load.ts';
import type { ClockReading } from '../../src/core/clock-reading.ts';
import { type PlayerName, playerKey } from '../../src/core/player-name.ts';
import { type Channel, castTime } from '../../src/core/vote.ts';
import type { Arrival, Rules } from '../../src/rewards/reward.ts';
import { arrivalOf as arrivalUnder } from '../../src/votes/judge-vote.ts';
import { matchSite } from '../../src/votes/sites.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** In UTC, as all times here. The first of June 2026 is a Monday. */
export const june = (date: number, hour = 12, minute = 0): number => Date.UTC(2026, 5, date, hour, minute);
export const NOON = june(1);
/** The number of that day. */
export const dayOf = (date: number): number => june(date, 0) / DAY;

const REAL = { kind: 'rcon', port: 25_575, password: 'a-password-of-this-test' };
/** Game servers that are real, for a config. */
export const gameServers = (...names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, REAL]));

const BASE = {
  timeZone: 'UTC',
  sites: { List: {}, Other: {} },
  gameServers: gameServers('main'),
  rewards: [] as readonly object[],
};

/** A reward whose only command is `say {player} voted`, paid to anyone at once. */
export const reward = (name: string, more: object = {}): object => ({
  ...{ name, when: 'always', commands: ['say {player} voted'] },
  ...more,
});

export interface Cast {
  readonly player?: string;
  /** A user ID in place of a player. */
  readonly user?: string;
  /** The service: `List`, unless it is another one. */
  readonly on?: string;
  /** When it was cast: at noon on 1 June 2026, unless it is another time. */
  readonly at?: number;
  /** By default when it was cast. */
  readonly received?: number;
  /** The time that its sender claims. Without milliseconds it has only seconds. By default none. */
  readonly claim?: number;
  readonly via?: Channel;
  readonly event?: string;
  /** A v1 block, by its first byte. */
  readonly block?: number;
  readonly unrewarded?: 'too-old' | 'before-start' | undefined;
  /** What its random numbers follow from. */
  readonly seed?: number;
  readonly address?: string;
  readonly sentAs?: string;
  readonly wire?: string;
  /** What the clock showed when it came, by which the clock is judged. */
  readonly reading?: ClockReading;
}

/** Loads a config. It throws with the faults, if it has some. */
export async function loaded(written: object): Promise<Config> {
  const text = JSON.stringify({ ...BASE, ...written });
  const { config, faults } = await examineText(text, '/srv/teller/config.json', { env: {} });
  if (config === null) throw new Error(JSON.stringify(faults));
  return config;
}

/** A vote as it arrives under a config. */
export function arrivalOf(cast: Cast, config: Config, rules: Rules): Arrival {
  const { player = 'Steve', user, on: service = 'List', via: channel = 'listener-v2', seed = 0.5 } = cast;
  const claim =
    cast.claim === undefined
      ? null
      : ({ at: cast.claim, precision: cast.claim % SECOND === 0 ? 's' : 'ms' } as const);
  const receivedAt = cast.received ?? cast.at ?? cast.claim ?? NOON;
  const { key, entry } = matchSite(config.sites, service);
  const judged = {
    vote: {
      ...{ service, site: key, receivedAt, channel, claim },
      recipient:
        user === undefined
          ? { kind: 'player' as const, key: playerKey(player as PlayerName), player: player as PlayerName }
          : { kind: 'user' as const, key: user },
      castAt: cast.at ?? castTime(claim, receivedAt),
      address: cast.address ?? '192.0.2.1',
      eventId: cast.event ?? null,
      blockDigest: cast.block === undefined ? null : Buffer.alloc(32, cast.block),
      wire: cast.wire ?? '{}',
      ...(cast.sentAs === undefined ? {} : { sentAs: cast.sentAs }),
    },
    ...{ cooldown: entry.cooldown, countsAll: entry.countsAll, unrewarded: cast.unrewarded },
  };
  return arrivalUnder(judged, rules, { kind: 'drawn', seed }, '203.0.113.9');
}
