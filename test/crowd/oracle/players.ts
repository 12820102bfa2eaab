/**
 * Who a player is: names and UUIDs, as game servers have shown them one after the other; and what one history becomes when two players
 * turn out to be the same one.
 */

import { nameOf, periodOf } from '../../rewards/oracle/calendar.ts';
import { PLAIN } from '../../rewards/oracle/conditions.ts';
import type { State } from '../../rewards/oracle/oracle.ts';
import {
  everReached,
  isSpent,
  type Occasion,
  type Part,
  type Streak,
  spend,
  streakOccasion,
  streakOf,
  votedPeriods,
} from '../../rewards/oracle/standing.ts';
import { countFor, marksItsDay, type RecordedVote, totalOccasion } from '../../rewards/oracle/votes.ts';
import { listed, type OracleConfig, type RawIf, type RawVotes } from '../../rewards/oracle/written.ts';

export interface Player {
  readonly id: string;
  uuid: string | null;
  /** Names that nobody else has taken, those that were seen last at the end. The first one is that of their first vote. */
  names: string[];
  /** Whether someone else was seen under a name of theirs, and they were not seen since. */
  isReplaced: boolean;
}

/** The name under which a player is paid; null once they have none that is theirs. */
export const currentName = ({ names }: Player): string | null => names.at(-1) ?? null;

/** What a game server's information changes. */
export type Change =
  | { readonly kind: 'joined'; readonly from: string; readonly into: string }
  | { readonly kind: 'replaced'; readonly player: string };

const isBedrockName = (name: string): boolean => name.startsWith('.');

/** Of version 3, as servers in offline mode compute it from a name: "it neither joins nor starts a player". */
const isOffline = (uuid: string): boolean => uuid[14] === '3';
const isFloodgate = (uuid: string): boolean => uuid.startsWith('00000000-0000-0000-');

/** "A Bedrock prefix never joins a Java name": each kind of UUID says something about names of its own kind only. */
const saysNothing = (name: string, uuid: string): boolean =>
  isOffline(uuid) || isFloodgate(uuid) !== isBedrockName(name);

export class Players {
  readonly all: Player[] = [];
  private readonly holders = new Map<string, Player>();

  /** The player who has this name now. */
  holderOf(name: string): Player {
    const holder = this.holders.get(name.toLowerCase());
    return holder ?? this.started(name);
  }

  byId(id: string): Player {
    return this.all.find((player) => player.id === id) as Player;
  }

  /** A game server shows a UUID under a name. */
  see(name: string, uuid: string): Change[] {
    if (saysNothing(name, uuid)) return [];
    const known = this.all.find((player) => player.uuid === uuid);
    const holder = this.holderOf(name);
    const changes = known ? this.seeAgain(known, holder, name) : this.seeFirst(holder, name, uuid);
    const player = this.holderOf(name);
    player.names = [...player.names.filter((other) => !isSame(other, name)), name];
    player.isReplaced = false;
    return changes;
  }

  /** "A new UUID under an old name starts a new player"; the first UUID of a player only becomes known. */
  private seeFirst(holder: Player, name: string, uuid: string): Change[] {
    const changes = holder.uuid === null ? [] : this.lose(holder, name);
    this.holderOf(name).uuid = uuid;
    return changes;
  }

  /** "A known UUID under a new name joins that name to the player", unless another player has been seen under it. */
  private seeAgain(player: Player, holder: Player, name: string): Change[] {
    if (player === holder) return [];
    if (holder.uuid === null) return this.moveTo(player, holder);
    const changes = this.lose(holder, name);
    this.holders.set(name.toLowerCase(), player);
    return changes;
  }

  /** "Join a name to another player, who then has the votes of both." */
  merge(name: string, into: string): Change[] {
    return this.moveTo(this.holderOf(into), this.holderOf(name));
  }

  /** With all the names that it has. */
  private moveTo(into: Player, from: Player): Change[] {
    if (from === into) return [];
    into.names = [...from.names, ...into.names];
    for (const own of from.names) this.holders.set(own.toLowerCase(), into);
    this.all.splice(this.all.indexOf(from), 1);
    return [{ kind: 'joined', from: from.id, into: into.id }];
  }

  private lose(player: Player, name: string): Change[] {
    player.names = player.names.filter((other) => !isSame(other, name));
    this.holders.delete(name.toLowerCase());
    player.isReplaced = true;
    return [{ kind: 'replaced', player: player.id }];
  }

  private ids = 0;

  private started(name: string): Player {
    this.ids++;
    const player: Player = { id: `p${this.ids}`, uuid: null, names: [name], isReplaced: false };
    this.all.push(player);
    this.holders.set(name.toLowerCase(), player);
    return player;
  }
}

export const isSame = (name: string, other: string): boolean => name.toLowerCase() === other.toLowerCase();

/** "Windows, counts, occasions and waiting grants move with it." */
export function moveHistory({ votes, standings }: State, from: string, into: string): void {
  const standing = [...standings.values()];
  const owned = [
    ...votes,
    ...standing.flatMap(({ before, spent, granted }) => [...before, ...spent, ...granted]),
  ];
  for (const each of owned) if (each.player === from) each.player = into;
}

/** "Joining pays nothing: thresholds passed by joining are marked as taken." */
export function markPassed(state: State, player: string): void {
  for (const [name, standing] of state.standings) {
    const reward = state.config.rewards.find((each) => 'name' in each && each.name === name);
    const condition = reward && 'if' in reward ? reward.if : undefined;
    for (const part of passedBy(condition ?? {}, state, player)) {
      const occasion: Occasion = [part];
      if (!isSpent(standing, player, occasion)) spend(standing, player, occasion);
    }
  }
}

/** The thresholds of a condition, which is the only one of its reward that has any, up to what the player has now. */
function passedBy(condition: RawIf, { votes, config }: State, player: string): Part[] {
  const own = votes.filter((vote) => vote.player === player);
  if (condition.votes) return passedTotals(condition.votes, votes, own);
  if (condition.firstVote) {
    const of = condition.firstVote === true ? 'total' : condition.firstVote;
    return passedTotals({ at: [1], of }, votes, own);
  }
  if (condition.streak) return passedStreaks(streakOf(condition.streak), votes, player);
  return condition.allSites ? passedDays(config, own) : [];
}

function passedTotals(raw: RawVotes, votes: readonly RecordedVote[], own: readonly RecordedVote[]): Part[] {
  const of = raw.of ?? 'total';
  if (of === 'network') return [];
  return own.flatMap((vote) => {
    const count = countFor(votes, vote, of, raw.sites);
    return upTo(raw, count).map((threshold) => ({
      ...PLAIN,
      key: 'votes' as const,
      spelt: totalOccasion(of, vote, threshold),
      threshold,
    }));
  });
}

function upTo({ every, at = [] }: RawVotes, count: number): number[] {
  if (every === undefined) return listed(at).filter((value) => value <= count);
  return Array.from({ length: Math.floor(count / every) }, (_, index) => (index + 1) * every);
}

function passedStreaks(streak: Streak, votes: readonly RecordedVote[], player: string): Part[] {
  const { per } = streak;
  return everReached(votedPeriods(votes, player, streak), streak).map((reached) => ({
    ...PLAIN,
    key: 'streak',
    spelt: streakOccasion(per, reached),
    threshold: reached.threshold,
    streak: { ...reached, per },
  }));
}

/** The days on which the player has voted on every entry, under one name or the other. */
function passedDays({ sites }: OracleConfig, own: readonly RecordedVote[]): Part[] {
  const services = Object.keys(sites).filter((entry) => entry !== 'default');
  const isWhole = ({ day }: RecordedVote): boolean =>
    services.every((site) =>
      own.some((vote) => marksItsDay(vote) && vote.service === site && vote.day === day),
    );
  return own.filter(isWhole).map(({ day }) => ({
    ...PLAIN,
    key: 'allSites',
    spelt: `day ${nameOf('day', periodOf('day', day))}`,
  }));
}
