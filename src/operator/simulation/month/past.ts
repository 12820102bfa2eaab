import type { JudgedArrival } from '../../../core/decide.ts';
import { DAY_MS } from '../../../core/duration.ts';
import { localDay } from '../../../core/local-time.ts';
import { type Per, periodOf } from '../../../core/period.ts';
import type { PlayerName } from '../../../core/player-name.ts';
import type { BalanceEntry, PlayerTotal, VoteCast } from '../../../ledger/ledger.ts';
import { importedVote } from '../../../votes/intake/added-vote.ts';
import { hypotheticalVote, isRefused, type VoteConfig } from '../../preview/hypothetical-votes.ts';

/** Four weeks, so that a vote keeps its day of the week when it is cast again. */
export const PAST_DAYS = 28;

/** The votes of the last weeks, and what their players had reached by then. */
export class Past {
  private readonly votes: VoteCast[] = [];
  private readonly names = new Map<number, string>();
  private readonly totals = new Map<number, number>();

  /** @param today as days since 1970-01-01. Its own votes are incomplete, so they are not cast again. */
  constructor(
    private readonly config: VoteConfig,
    private readonly zone: string,
    private readonly today: number,
  ) {}

  addVotes(votes: readonly VoteCast[]): void {
    for (const vote of votes) {
      this.votes.push(vote);
      this.names.set(vote.recipientId, vote.name);
    }
  }

  addTotals(totals: readonly PlayerTotal[]): void {
    for (const { recipientId, votes } of totals) this.totals.set(recipientId, votes);
  }

  /** The votes of so many days from tomorrow on: each day those of the same day of the week, the latest that is complete. */
  castAgain(days: number): readonly JudgedArrival[] {
    const byDay = grouped(this.votes, ({ castAt }) => this.dayOf(castAt));
    const again = Array.from({ length: days }, (_, at) => {
      const day = this.today + 1 + at;
      const weeks = Math.floor((day - this.today + PAST_DAYS) / PAST_DAYS) * PAST_DAYS;
      const source = day - weeks;
      return (byDay.get(source) ?? []).flatMap((vote) => this.judged(vote, vote.castAt + weeks * DAY_MS));
    });
    return again.flat().sort((a, b) => a.vote.castAt - b.vote.castAt);
  }

  /** The last vote of each player on each service, which says whether its window is over. */
  lastVotes(now: number): readonly JudgedArrival[] {
    const last = new Map(this.votes.map((vote) => [`${vote.recipientId} ${vote.service}`, vote]));
    return [...last.values()].flatMap((vote) =>
      this.judged(vote, vote.castAt).map((each) =>
        importedVote(each, { at: vote.castAt, by: SOURCE, now, isTest: false }),
      ),
    );
  }

  /** What each player has counted until now. */
  balances(): readonly BalanceEntry[] {
    const ofPlayers = this.votes.filter(({ kind }) => kind === 'player');
    return [...grouped(ofPlayers, ({ recipientId }) => recipientId)].map(([id, votes]) => ({
      player: this.names.get(id) as PlayerName,
      totals: {
        all: this.totals.get(id) ?? votes.filter(({ isCounted }) => isCounted).length,
        ...ofEach((per) => this.countedIn(per, votes)),
      },
      uuid: null,
      runs: ofEach((per) => this.lastRun(per, votes)),
      bestRun: null,
    }));
  }

  private countedIn(per: Per, votes: readonly VoteCast[]): number {
    const period = periodOf(per, this.today);
    return votes.filter((vote) => vote.isCounted && periodOf(per, this.dayOf(vote.castAt)) === period).length;
  }

  /** The days, weeks or months in a row up to the last one in which they voted. */
  private lastRun(per: Per, votes: readonly VoteCast[]): BalanceEntry['runs'][Per] {
    const voted = new Set(votes.map(({ castAt }) => periodOf(per, this.dayOf(castAt))));
    const to = Math.max(...voted);
    let from = to;
    while (voted.has(from - 1)) from -= 1;
    return { from, to };
  }

  private judged({ recipientId, name, service }: VoteCast, at: number): readonly JudgedArrival[] {
    const judged = hypotheticalVote(this.names.get(recipientId) ?? name, service, at, this.config);
    return isRefused(judged) ? [] : [judged];
  }

  private dayOf(at: number): number {
    return localDay(at, this.zone);
  }
}

const ofEach = <Value>(of: (per: Per) => Value): Record<Per, Value> => ({
  ...{ day: of('day'), week: of('week'), month: of('month') },
});

function grouped(
  votes: readonly VoteCast[],
  keyOf: (vote: VoteCast) => number,
): ReadonlyMap<number, readonly VoteCast[]> {
  const groups = new Map<number, VoteCast[]>();
  for (const vote of votes) {
    const group = groups.get(keyOf(vote));
    if (group === undefined) groups.set(keyOf(vote), [vote]);
    else group.push(vote);
  }
  return groups;
}

/** Who imports, in the ledger of the simulation. */
export const SOURCE = 'preview';
