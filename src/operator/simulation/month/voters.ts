import { type Cooldown, windowOf } from '../../../core/cooldown.ts';
import type { JudgedArrival } from '../../../core/decide.ts';
import { instantOf, localDay } from '../../../core/local-time.ts';
import type { Random } from '../../../core/random.ts';
import { matchSite } from '../../../votes/intake/sites.ts';
import {
  hypotheticalVote,
  isRefused,
  servicesOf,
  type VoteConfig,
} from '../../preview/hypothetical-votes.ts';

/** Who votes how often. */
export interface MonthPlan {
  readonly voters: number;
  readonly days: number;
  /** undefined: as many as the players' habits give. */
  readonly votes: number | undefined;
  /** When the first day begins. */
  readonly from: number;
  readonly zone: string;
}

/** How likely a player is to vote on a day, and then on each of the sites. */
interface Habit {
  /** Of all players. */
  readonly share: number;
  readonly day: number;
  readonly site: number;
}

/** A quarter votes nearly everywhere nearly every day, a third most days on most sites, and the others now and then. */
const HABITS: readonly Habit[] = [
  { share: 0.25, day: 0.97, site: 0.97 },
  { share: 0.35, day: 0.6, site: 0.7 },
  { share: 0.4, day: 0.15, site: 0.5 },
];

/** More places than this take too much memory. */
export const PLACES_MAX = 5_000_000;

export const placesOf = ({ voters, days }: Pick<MonthPlan, 'voters' | 'days'>, config: VoteConfig): number =>
  voters * days * servicesOf(config).length;

/** A vote that a player may cast. */
interface Place {
  readonly voter: number;
  readonly day: number;
  readonly service: string;
  /** The first one of the day on this site is 0. */
  readonly round: number;
  /** The lower, the likelier: with their usual habits, players cast those up to 1. */
  readonly reluctance: number;
  /** Minutes after midnight at which the player means to vote. */
  readonly minute: number;
}

/** The votes of a month, in the order of their times. */
export function monthVotes(plan: MonthPlan, config: VoteConfig, random: Random): readonly JudgedArrival[] {
  const places = placesIn(plan, servicesOf(config), random).sort((a, b) => a.reluctance - b.reluctance);
  const cast =
    plan.votes === undefined
      ? places.filter(({ reluctance }) => reluctance <= 1)
      : repeated(places, plan.votes).slice(0, plan.votes);
  return timed(cast, plan, config, random).sort((a, b) => a.vote.castAt - b.vote.castAt);
}

function placesIn({ voters, days }: MonthPlan, services: readonly string[], random: Random): Place[] {
  const places: Place[] = [];
  for (let voter = 0; voter < voters; voter++) {
    const habit = habitOf((voter + 0.5) / voters);
    const usual = FIRST_MINUTE + random.next() * (LAST_MINUTE - FIRST_MINUTE);
    for (let day = 0; day < days; day++) {
      const ofDay = random.next() / habit.day;
      const minute = usual + (random.next() - 0.5) * SPREAD_MINUTES;
      services.forEach((service, at) => {
        const reluctance = Math.max(ofDay, random.next() / habit.site);
        places.push({ voter, day, service, round: 0, reluctance, minute: minute + at * MINUTES_BETWEEN });
      });
    }
  }
  return places;
}

const FIRST_MINUTE = 14 * 60;
const LAST_MINUTE = 22 * 60;
const SPREAD_MINUTES = 60;
const MINUTES_BETWEEN = 1.5;

function habitOf(place: number): Habit {
  let below = 0;
  const found = HABITS.find(({ share }) => {
    below += share;
    return place < below;
  });
  // The last one, should rounding make the sum of the shares less than 1.
  return found ?? (HABITS.at(-1) as Habit);
}

/** Where there are more votes than places, players vote again on the same day. */
function repeated(places: readonly Place[], votes: number): readonly Place[] {
  const rounds = Math.ceil(votes / places.length);
  return Array.from({ length: rounds }, (_, round) => places.map((place) => ({ ...place, round }))).flat();
}

const MINUTE_MS = 60_000;

function timed(
  places: readonly Place[],
  { from, zone, voters }: MonthPlan,
  config: VoteConfig,
  random: Random,
): JudgedArrival[] {
  const first = localDay(from, zone);
  const free = new Map<string, number>();
  const inOrder = places.toSorted((a, b) => a.day - b.day || a.round - b.round || a.minute - b.minute);
  return inOrder.flatMap(({ voter, day, service, round, minute }) => {
    const name = nameOf(voter, voters);
    const midnight = instantOf({ day: first + day, minute: 0 }, zone);
    const key = `${name} ${service}`;
    const { cooldown } = matchSite(config.sites, service).entry;
    const planned = Math.floor(midnight + (minute + round) * MINUTE_MS);
    const tomorrow = instantOf({ day: first + day + 1, minute: 0 }, zone);
    const patience = (1 + random.next() * 4) * MINUTE_MS;
    const at = whenFree(planned, (free.get(key) ?? 0) + Math.floor(patience), tomorrow);
    noteWindow(free, key, at, cooldown);
    const arrival = hypotheticalVote(name, service, at, config);
    return isRefused(arrival) ? [] : [arrival];
  });
}

/** A listing lets a player vote once the last window is over, so they wait for that, but not past midnight. */
const whenFree = (planned: number, freeAt: number, tomorrow: number): number =>
  planned < freeAt && freeAt < tomorrow ? freeAt : planned;

function noteWindow(free: Map<string, number>, key: string, at: number, cooldown: Cooldown): void {
  if (at >= (free.get(key) ?? 0)) free.set(key, windowOf(at, cooldown).end);
}

/** Also valid as a user ID. */
const nameOf = (voter: number, voters: number): string =>
  `Voter_${String(voter + 1).padStart(String(voters).length, '0')}`;

/** So many votes of one player on these services, each as soon as the last one's window is over. */
export function steadyVotes(
  name: string,
  services: readonly string[],
  count: number,
  from: number,
  config: VoteConfig,
): readonly JudgedArrival[] {
  const each = Math.ceil(count / services.length);
  const votes = services.flatMap((service) => {
    const { cooldown } = matchSite(config.sites, service).entry;
    let at = from;
    return Array.from({ length: each }, () => {
      const arrival = hypotheticalVote(name, service, at, config);
      at = windowOf(at, cooldown).end;
      return isRefused(arrival) ? [] : [arrival];
    });
  });
  return votes
    .flat()
    .sort((a, b) => a.vote.castAt - b.vote.castAt)
    .slice(0, count);
}
