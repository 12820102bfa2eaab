/** What is promised about what players earn together: vote parties and tops. */
import type { MinecraftServer } from './game-servers.ts';
import { stateFaults, textOf } from './grant-promises.ts';
import {
  broken,
  type GrantRow,
  grouped,
  type LedgerContents,
  type Placed,
  type SettledDay,
  type VoteRow,
  voterOf,
} from './ledger-contents.ts';
import {
  CROWD,
  DAY_MS,
  dayName,
  MINECRAFT,
  PARTY,
  settlesAt,
  TOP_PLACES,
  TOP_SITES,
  type TopConfig,
} from './sites.ts';

/** Between the game server's answer who is online and the grants, the process may be slow. */
const SLOW_MS = 2_000;
/** After that, the voters are paid for a party for players online. */
const ONLINE_WAIT_MS = 10 * 60_000;

/** The votes that made each party. They count in the order in which they were recorded. */
export function partiesOf(votes: readonly VoteRow[], every: number): readonly (readonly VoteRow[])[] {
  const counted = votes.filter(({ site, decision }) => site === MINECRAFT.name && decision === 'rewarded');
  const parties = Math.floor(counted.length / every);
  return Array.from({ length: parties }, (_, at) => counted.slice(at * every, (at + 1) * every));
}

const occasionOf = (at: number): string => `party ${at + 1}`;

/** Each party is paid once to everyone whose votes made it, and nothing else is paid for parties (rule 14). */
export function partyFaults({ votes, grants }: LedgerContents): string[] {
  const own = grants.filter(({ reward }) => reward === PARTY.name);
  const earned = partiesOf(votes, PARTY.every).flatMap((made, at) =>
    [...new Set(made.map(voterOf))].map((voter) => `say ${voter} made ${occasionOf(at)}`),
  );
  return [...notOnce(earned, own.map(textOf)), ...own.flatMap(stateFaults)];
}

function notOnce(earned: readonly string[], granted: readonly string[]): string[] {
  const count = (texts: readonly string[], wanted: string): number =>
    texts.filter((text) => text === wanted).length;
  return [...new Set([...earned, ...granted])].flatMap((text) => {
    const [times, paid] = [count(earned, text), count(granted, text)];
    return broken(times !== paid, `“${text}” was earned ${times} times and granted ${paid} times`);
  });
}

/**
 * Each party for players online is paid, once to each player, and only to those who were on its game server when it was
 * fixed; after ten minutes in which nobody was, to those whose votes made it.
 */
export function crowdFaults({ votes, grants }: LedgerContents, server: MinecraftServer): string[] {
  const own = grants.filter(({ reward }) => reward === CROWD.name);
  const parties = partiesOf(votes, CROWD.every);
  const made = new Map(parties.map((of, at) => [occasionOf(at), of]));
  const isPaid = ({ player, occasion, createdAt }: GrantRow): boolean => {
    const of = made.get(occasion) ?? [];
    const isVoter = of.some((vote) => voterOf(vote) === player?.toLowerCase());
    const isLate = createdAt - (of.at(-1)?.receivedAt ?? createdAt) >= ONLINE_WAIT_MS;
    return server.wasThere(player ?? '', createdAt - SLOW_MS, createdAt) || (isVoter && isLate);
  };
  return [
    ...own
      .filter(({ occasion }) => !made.has(occasion))
      .map(({ id }) => `grant ${id} is for a party that was not reached`),
    ...[...made.keys()].flatMap((occasion) => {
      const players = own.filter((grant) => grant.occasion === occasion).map(({ player }) => player);
      return [
        ...broken(players.length === 0, `${occasion} was paid to nobody`),
        ...broken(
          new Set(players).size < players.length,
          `${occasion} was paid twice to one of ${players.join(', ')}`,
        ),
      ];
    }),
    ...own
      .filter((grant) => !isPaid(grant))
      .map(({ id, player, occasion }) => `${player} of grant ${id} was not there at ${occasion}`),
    ...own.flatMap(stateFaults),
  ];
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
  { votes, grants }: LedgerContents,
  settled: readonly SettledDay[],
  missing: readonly string[],
  seen: readonly SettledDay[],
): string[] {
  const now = new Map(settled.map((each) => [nameOf(each), JSON.stringify(each.places)]));
  const prizes = grants.filter(({ cause }) => cause === 'top');
  const won = settled.flatMap(({ top, day, places }) =>
    places
      .filter(({ place }) => place <= TOP_PLACES)
      .map(({ place, player }) =>
        `say ${player} won top ${dayName(day)} place ${place} of ${top.name}`.toLowerCase(),
      ),
  );
  return [
    ...missing.map((what) => `the places of ${what} were never stored`),
    ...seen
      .filter((each) => now.get(nameOf(each)) !== JSON.stringify(each.places))
      .map((each) => `the places of ${nameOf(each)} have changed since they were stored`),
    ...settled.flatMap((each) => placeFaults(each, votes)),
    ...notOnce(won, prizes.map(textOf)),
    ...prizes.flatMap(stateFaults),
  ];
}

const nameOf = ({ top, day }: SettledDay): string => `${top.name} ${dayName(day)}`;

/** Votes that had come when `settle` was over count, and of later ones some may, in the order in which they came. */
function placeFaults(settled: SettledDay, votes: readonly VoteRow[]): string[] {
  const { top, day, places } = settled;
  const counted = votes.filter(
    ({ service, decision, castAt }) =>
      TOP_SITES.includes(service) && decision === 'rewarded' && Math.floor(castAt / DAY_MS) === day,
  );
  const least = counted.filter(({ receivedAt }) => receivedAt <= settlesAt(top, day)).length;
  const stored = listed(places);
  for (let count = least; count <= counted.length; count++)
    if (listed(placesOf(counted.slice(0, count), top, votes)) === stored) return [];
  return [`the places of ${nameOf(settled)} are ${stored}, which no part of its votes says`];
}

function placesOf(counted: readonly VoteRow[], { ties }: TopConfig, all: readonly VoteRow[]): Placed[] {
  const sums = [...grouped(counted, voterOf)].map(([player, own]) => ({
    ...{ player, votes: own.length, reachedAt: Math.max(...own.map(({ castAt }) => castAt)) },
    // Of those who also reached it at the same moment, the one who first voted at all comes first.
    first: all.findIndex((row) => voterOf(row) === player),
  }));
  const sorted = sums.toSorted(
    (one, other) => other.votes - one.votes || one.reachedAt - other.reachedAt || one.first - other.first,
  );
  return sorted
    .map((each, at) => {
      const shared = sorted.findIndex(({ votes }) => votes === each.votes);
      return { ...each, place: (ties === 'share' ? shared : at) + 1 };
    })
    .filter(({ place }) => place <= PLACES_KEPT);
}

const listed = (places: readonly Placed[]): string =>
  places.map(({ place, player, votes }) => `${place} ${player.toLowerCase()} ${votes}`).join(', ');
