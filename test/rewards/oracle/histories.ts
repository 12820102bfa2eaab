/**
 * Random histories: small populations, votes close to the edges of days, weeks, months and cooldowns, late votes, voids,
 * and reloads that change cooldowns, time zones, sites and rewards. The same seed always makes the same history.
 */

import { Seeded } from '../../support/seeded.ts';
import { DAY, firstInstant, HOUR, localTime, MINUTE } from './calendar.ts';
import type { Draw, History, OracleConfig, OracleEvent, VoteEvent } from './oracle.ts';
import { Reloads, randomConfig, type Sources } from './random-configs.ts';

/** Votes received later than this may be too old. */
const MAX_AGE = 2 * DAY;
/** Days before a change of the clock, New Year, the end of a leap month, and an ordinary week. */
const BEGINNINGS = [
  '2026-03-04',
  '2026-03-26',
  '2026-04-21',
  '2026-10-21',
  '2026-10-29',
  '2026-12-26',
  '2028-02-25',
  '2026-11-11',
];
const PLAYERS = ['alex', 'sasha', 'kim', 'Robin'];
const SERVICES = ['A', 'B', 'C', 'D'];

export function randomHistory(seed: number): History {
  const random = new Seeded(seed);
  const startedAt = Date.parse(`${random.pick(BEGINNINGS)}T00:00:00Z`) + random.below(24) * HOUR;
  const services = SERVICES.slice(0, 1 + random.below(SERVICES.length));
  const listed = services.filter(() => random.chance(0.75));
  const isStreaky = random.chance(0.35);
  const startDay = localTime('UTC', startedAt).day;
  const sources: Sources = { random, sites: listed, startDay, isStreaky };
  const config = randomConfig(sources);
  const votes = randomVotes(sources, config, startedAt, services);
  return { startedAt, config, events: withChanges(sources, config, services, votes) };
}

interface Cast {
  readonly service: string;
  readonly player: string;
  readonly castAt: number;
}

/** How the players of one history vote: every day, in a crowd, seldom, or each of these. */
type Habit = 'daily' | 'crowded' | 'seldom';
const HABITS: readonly Habit[] = ['daily', 'daily', 'crowded', 'seldom'];

function randomVotes(
  { random, isStreaky }: Sources,
  config: OracleConfig,
  startedAt: number,
  services: readonly string[],
): VoteEvent[] {
  const players = PLAYERS.slice(0, 1 + random.below(isStreaky ? 2 : PLAYERS.length));
  const habit = isStreaky ? 'daily' : random.pick(HABITS);
  const casts: Cast[] = [];
  const count = 5 + random.below(56);
  while (casts.length < count) {
    const player = random.pick(players);
    const earlier = casts.filter((cast) => cast.player === player);
    const castAt = nextCastAt(random, config, startedAt, habit, earlier);
    const service = random.pick(services);
    if (!casts.some((cast) => isSameVote(cast, { service, player, castAt })))
      casts.push({ service, player, castAt });
  }
  const lateness = random.pick([0, 0.1, 0.3, 0.8]);
  return casts.map((cast) => arriving(random, cast, startedAt, lateness)).sort(byArrival);
}

/** Rule 2: a ledger would record the second one as the first. */
const isSameVote = (one: Cast, other: Cast): boolean =>
  one.service === other.service && one.player === other.player && one.castAt === other.castAt;

const byArrival = (one: VoteEvent, other: VoteEvent): number => one.receivedAt - other.receivedAt;

/** In whole seconds. Sometimes before the start. */
function nextCastAt(
  random: Seeded,
  { timeZone }: OracleConfig,
  startedAt: number,
  habit: Habit,
  earlier: readonly Cast[],
): number {
  const last = earlier.at(-1)?.castAt ?? startedAt + random.below(24) * HOUR;
  if (random.chance(0.02)) return startedAt - (1 + random.below(36)) * HOUR;
  if (random.chance(0.3)) {
    const isLast = random.chance(0.5) || earlier.length === 0;
    return nearWindowEnd(random, isLast ? last : random.pick(earlier).castAt);
  }
  if (random.chance(0.35)) return nearMidnight(random, timeZone, last + daysOn(random, habit) * DAY);
  return last + daysOn(random, habit) * DAY + (random.below(24) - 12) * HOUR + random.below(60) * MINUTE;
}

function daysOn(random: Seeded, habit: Habit): number {
  if (habit === 'crowded') return random.below(2);
  if (habit === 'seldom') return random.pick([1, 2, 6, 7, 8, 30]);
  return random.pick([0, 1, 1, 1, 1, 1, 1, 2]);
}

const EDGES = [-1, 0, 0, 1].map((seconds) => seconds * 1000);

const nearWindowEnd = (random: Seeded, castAt: number): number =>
  castAt + random.pick([24, 24, 24, 23, 25, 12, 1, -24]) * HOUR + random.pick(EDGES);

const nearMidnight = (random: Seeded, timeZone: string, at: number): number =>
  firstInstant(timeZone, localTime(timeZone, at).day, random.pick([0, 0, 0, 4 * HOUR])) + random.pick(EDGES);

/** Most votes arrive at once. Late ones arrive up to ten days later; some of those are too old. */
function arriving(random: Seeded, cast: Cast, startedAt: number, lateness: number): VoteEvent {
  const delay = random.chance(lateness) ? random.below(10 * 24) * HOUR : random.below(5) * 1000;
  const receivedAt = Math.max(cast.castAt, startedAt) + delay;
  return {
    kind: 'vote',
    ...cast,
    receivedAt,
    ...(receivedAt - cast.castAt > MAX_AGE && random.chance(0.3) ? { tooOld: true } : {}),
    ...(cast.castAt < startedAt ? { beforeStart: true } : {}),
  };
}

function withChanges(
  sources: Sources,
  config: OracleConfig,
  services: readonly string[],
  votes: readonly VoteEvent[],
): OracleEvent[] {
  const { random } = sources;
  const voids = random.pick([0, 0, 0.05, 0.15]);
  const reloads = random.pick([0, 0, 0.05, 0.15]);
  const alreadyVoided = new Set<number>();
  const running = new Reloads(sources, config, services);
  return votes.flatMap((vote, number): OracleEvent[] => {
    const events: OracleEvent[] = [vote];
    const voided = random.below(number + 1);
    if (random.chance(voids) && !alreadyVoided.has(voided)) {
      alreadyVoided.add(voided);
      events.push({ kind: 'void', vote: voided });
    }
    if (random.chance(reloads)) events.push({ kind: 'config', config: running.next(), at: vote.receivedAt });
    return events;
  });
}

/** The same number for the same vote, reward, occasion and purpose, in whatever order they are asked for. */
export function drawsOf(seed: number): Draw {
  return (vote, reward, occasion, purpose) => {
    let mixed = seed;
    for (const letter of `${vote} ${reward} ${occasion} ${purpose}`) {
      mixed = Math.imul(mixed ^ (letter.codePointAt(0) as number), 0x01000193) >>> 0;
    }
    return new Seeded(mixed).next();
  };
}
