import type { GrantRow, VoteRow } from '../../src/ledger/ledger.ts';
import { stateFaults } from './grant-promises.ts';
import { type LedgerContents, voterOf } from './ledger-contents.ts';
import { DAY_MS, TOP_PLACES, TOP_SITES } from './sites.ts';
import { dayName, type SettledDay, settlesAt, type TopConfig } from './tops.ts';

interface Place {
  readonly place: number;
  readonly recipient: string;
  readonly votes: number;
  readonly reachedAt: number;
}

/** So many places are stored, also without a prize. */
const PLACES_KEPT = 10;

/**
 * The places of each day are stored once, as the votes that had come by then say; later votes do not change them; and each
 * is paid once.
 *
 * @param seen the places that were read during the run.
 */
export function topFaults(
  { votes, ofTops }: LedgerContents,
  settled: readonly SettledDay[],
  missing: readonly string[],
  seen: readonly SettledDay[],
): string[] {
  return [
    ...missing.map((what) => `the places of ${what} were never stored`),
    ...changesFaults(settled, seen),
    ...settled.flatMap((each) => placeFaults(each, votes)),
    ...prizeFaults(settled, ofTops),
    ...ofTops.flatMap(stateFaults),
  ];
}

const nameOf = ({ top, day }: SettledDay): string => `${top.name} ${dayName(day)}`;

function changesFaults(settled: readonly SettledDay[], seen: readonly SettledDay[]): string[] {
  const now = new Map(settled.map((each) => [nameOf(each), JSON.stringify(each.places)]));
  return seen
    .filter((each) => now.get(nameOf(each)) !== JSON.stringify(each.places))
    .map((each) => `the places of ${nameOf(each)} have changed since they were stored`);
}

/** Votes that had come when `settle` was over count, and of later ones some may, in the order in which they came. */
function placeFaults(settled: SettledDay, votes: readonly VoteRow[]): string[] {
  const { top, day, places } = settled;
  const counted = votes.filter(
    ({ service, decision, castAt }) =>
      TOP_SITES.includes(service) && decision === 'rewarded' && Math.floor(castAt / DAY_MS) === day,
  );
  const least = counted.filter(({ receivedAt }) => receivedAt <= settlesAt(top, day)).length;
  const stored = textOf(places);
  for (let count = least; count <= counted.length; count++) {
    if (textOf(placesOf(counted.slice(0, count), top, votes)) === stored) return [];
  }
  return [`the places of ${nameOf(settled)} are ${stored}, which no part of its votes says`];
}

function placesOf(counted: readonly VoteRow[], { ties }: TopConfig, all: readonly VoteRow[]): Place[] {
  const sums = new Map<string, Place>();
  for (const row of counted) {
    const recipient = voterOf(row);
    const { votes = 0, reachedAt = 0 } = sums.get(recipient) ?? {};
    sums.set(recipient, {
      ...{ place: 0, recipient, votes: votes + 1 },
      reachedAt: Math.max(reachedAt, row.castAt),
    });
  }
  // Of those who also reached it at the same moment, the one who first voted at all comes first.
  const firstVote = ({ recipient }: Place): number => all.findIndex((row) => voterOf(row) === recipient);
  const sorted = [...sums.values()].toSorted(
    (one, other) =>
      other.votes - one.votes || one.reachedAt - other.reachedAt || firstVote(one) - firstVote(other),
  );
  return sorted
    .map((each, at) => {
      const shared = sorted.findIndex(({ votes }) => votes === each.votes);
      return { ...each, place: (ties === 'share' ? shared : at) + 1 };
    })
    .filter(({ place }) => place <= PLACES_KEPT);
}

const textOf = (places: readonly Place[]): string =>
  places.map(({ place, recipient, votes }) => `${place} ${recipient} ${votes}`).join(', ');

function prizeFaults(settled: readonly SettledDay[], grants: readonly GrantRow[]): string[] {
  const won = settled.flatMap(({ top, day, places }) =>
    places
      .filter(({ place }) => place <= TOP_PLACES)
      .map(
        ({ place, recipient }) => `say ${recipient} won top ${dayName(day)} place ${place} of ${top.name}`,
      ),
  );
  const granted = grants.map(({ commands }) => commands.map(({ command }) => command.toLowerCase()).join());
  return [
    ...won
      .filter((text) => granted.filter((each) => each === text).length !== 1)
      .map((text) => `“${text}” is not granted once`),
    ...granted.filter((text) => !won.includes(text)).map((text) => `“${text}” is granted, and was not won`),
  ];
}
