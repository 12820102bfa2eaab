/** What one history becomes when two players turn out to be the same one. */

import { nameOf, periodOf } from '../../rewards/oracle/calendar.ts';
import type { State } from '../../rewards/oracle/oracle.ts';
import { isSpent, type Occasion, type Part, spend } from '../../rewards/oracle/standing.ts';
import {
  everReached,
  type Streak,
  streakOccasion,
  streakOf,
  votedPeriods,
} from '../../rewards/oracle/streaks.ts';
import { countFor, marksItsDay, type RecordedVote, totalOccasion } from '../../rewards/oracle/votes.ts';
import { listed, type OracleConfig, type RawIf, type RawVotes } from '../../rewards/oracle/written.ts';

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

const PLAIN = { threshold: null, isNetwork: false, isTaken: false, streak: null };

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
