/** What the ledger holds, as the commands of Teller print it. Times are in ms since the Unix epoch. */
import { typedHere } from '../kit/apart.ts';
import type { Place } from '../kit/place.ts';
import type { GrantSeen } from '../kit/witness.ts';
import { DAY_MS, DOWN_FOR_DAYS, dayName, settlesAt, type TopConfig } from './sites.ts';

export interface VoteRow {
  readonly id: number;
  readonly service: string;
  /** The entry that decided. */
  readonly site: string;
  readonly recipient: string;
  readonly player: string | null;
  readonly castAt: number;
  readonly claimedAt: number | null;
  readonly receivedAt: number;
  readonly channel: string;
  readonly decision: string;
  readonly nextAt: number | null;
  /** Not null for a vote that waited for the entry of its site. */
  readonly decidedAgain: object | null;
}

export interface GrantRow extends Omit<GrantSeen, 'commands'> {
  readonly cause: 'vote' | 'party' | 'top';
  readonly voteId: number | null;
  readonly whereOnline: readonly string[] | null;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly commands: readonly (GrantSeen['commands'][number] & { readonly startedAt: number | null })[];
}

/** The votes and grants in the ledger at the end, in the order in which they were made, which is that of their IDs. */
export interface LedgerContents {
  readonly votes: readonly VoteRow[];
  readonly grants: readonly GrantRow[];
}

/** Those of one reward for votes. */
export const grantsOf = ({ grants }: LedgerContents, reward: string): readonly GrantRow[] =>
  grants.filter((grant) => grant.cause === 'vote' && grant.reward === reward);

/** Whom a vote names, in lower case. Its recipient may have been joined to another name since. */
export const voterOf = ({ player, recipient }: VoteRow): string => (player ?? recipient).toLowerCase();

/** A fault, if a promise is broken. */
export const broken = (isBroken: boolean, fault: string): string[] => (isBroken ? [fault] : []);

export function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** What a command prints, with times as numbers. */
// biome-ignore lint/suspicious/noExplicitAny: JSON of commands
async function printed(place: Place, ...words: readonly string[]): Promise<any> {
  const { out, err } = await typedHere(place, ...words, '--json');
  if (out === '') throw new Error(err);
  return JSON.parse(out, (key, value) =>
    key.endsWith('At') && typeof value === 'string' ? Date.parse(value) : value,
  );
}

/** Oldest first. */
const rowsOf = async (place: Place, ...words: readonly string[]) =>
  (await printed(place, ...words, '--limit', '100000')).reverse();

export const votesIn = (place: Place): Promise<readonly VoteRow[]> => rowsOf(place, 'votes');

/** @param flags which of them. */
export const grantsIn = (place: Place, ...flags: readonly string[]): Promise<readonly GrantRow[]> =>
  rowsOf(place, 'grants', ...flags);

export interface Placed {
  readonly place: number;
  readonly player: string;
  readonly votes: number;
  readonly reachedAt: number;
}

/** The places of a day as they were stored. */
export interface SettledDay {
  readonly top: TopConfig;
  /** Days since 1970. */
  readonly day: number;
  readonly places: readonly Placed[];
}

/** The days of each top that are over by now, as far as they are stored. */
export async function settledDays(
  place: Place,
  tops: readonly TopConfig[],
  startedAt: number,
): Promise<{ readonly settled: readonly SettledDay[]; readonly missing: readonly string[] }> {
  const settled: SettledDay[] = [];
  const missing: string[] = [];
  const first = Math.floor(startedAt / DAY_MS) - DOWN_FOR_DAYS;
  for (let day = first; day <= first + DOWN_FOR_DAYS + 1; day++) {
    const over = tops.filter((top) => settlesAt(top, day) <= Date.now());
    const states =
      over.length === 0 ? [] : await printed(place, 'tops', '--period', 'day', '--at', dayName(day));
    for (const top of over) {
      const { isSettled, places } = states.find((state: { top: string }) => state.top === top.name);
      if (isSettled) settled.push({ top, day, places });
      else missing.push(`${top.name} ${dayName(day)}`);
    }
  }
  return { settled, missing };
}
