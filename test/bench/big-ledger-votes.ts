import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts';

export interface PlannedVote {
  /** 0 is the player with the most votes. */
  readonly player: number;
  readonly service: number;
  /** Since midnight. */
  readonly atMs: number;
  /** It comes less than a day after another vote of this player for this service. */
  readonly isRepeat: boolean;
}

export interface DayPlan {
  readonly day: number;
  readonly votes: number;
  /** How many there are. */
  readonly services: number;
  /** Of these, the votes of player 0. */
  readonly heavyVotes: number;
  /** Draws one of the other players, from 0. */
  readonly others: () => number;
  readonly random: () => number;
}

/** Most players vote on some of the listings only. */
const LISTINGS_EACH = 12;
const REPEATS_SHARE = 0.03;

/**
 * The votes of one day in order of time. A player votes for a service at the same time each day, so that every vote
 * that is not a repeat takes its window.
 */
export function dayOfVotes({ day, votes, services, heavyVotes, others, random }: DayPlan): PlannedVote[] {
  const planned: PlannedVote[] = [];
  const seen = new Set<number>();
  const add = (player: number, service: number, repeatMs: number): void => {
    const atMs = timeOfDay(player * services + service) + repeatMs;
    planned.push({ player, service, atMs, isRepeat: repeatMs > 0 });
  };
  for (let vote = 0; vote < Math.min(heavyVotes, votes, services); vote++) add(0, (day + vote) % services, 0);
  let repeats = 0;
  while (planned.length < votes) {
    const player = 1 + others();
    const service = (mixed(player) + Math.floor(random() * LISTINGS_EACH)) % services;
    const key = player * services + service;
    if (!seen.has(key)) {
      seen.add(key);
      add(player, service, 0);
    } else if (repeats < votes * REPEATS_SHARE) {
      repeats++;
      add(player, service, 1 + Math.floor(random() * HOUR_MS));
    }
  }
  return planned.sort((a, b) => a.atMs - b.atMs);
}

/** Of a player and a service. Leaves an hour before midnight for repeats. */
const timeOfDay = (key: number): number => mixed(key) % (DAY_MS - HOUR_MS);

/** The same number for the same number, spread over all 32 bits. */
function mixed(number: number): number {
  const once = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  const twice = Math.imul(once ^ (once >>> 16), 0x45d9f3b);
  return (twice ^ (twice >>> 16)) >>> 0;
}
