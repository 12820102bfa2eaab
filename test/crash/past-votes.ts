import type { Random } from '../../src/core/random.ts';
import { below, happens, oneOf } from './chance.ts';
import { DAY_MS, DOWN_FOR_DAYS, PAST } from './sites.ts';
import type { Ballots, SentVote } from './votes.ts';

const PLAYERS = 8;
const BEFORE_START = 120;
const MINUTE_MS = 60_000;
const COMES_LATE = 0.3;

/** Votes that were cast on the days whose tops end in the run: several a day by each player. Some are delivered late. */
export class PastVotes {
  private readonly players = Array.from({ length: PLAYERS }, (_, at) => `Past${at + 1}`);
  private minutes = 0;

  constructor(
    private readonly random: Random,
    private readonly ballots: Ballots,
  ) {}

  /** The API lists them when the run begins. */
  beforeStart(): SentVote[] {
    return Array.from({ length: BEFORE_START }, () => this.vote('api'));
  }

  some(): SentVote[] {
    return happens(this.random, COMES_LATE) ? [this.vote('webhook')] : [];
  }

  /** No two are in the same minute of a day. */
  private vote(channel: 'api' | 'webhook'): SentVote {
    this.minutes += 1;
    const day = 1 + below(this.random, DOWN_FOR_DAYS - 1);
    const midnight = Math.floor(this.ballots.startedAt / DAY_MS) * DAY_MS;
    const votedAt = midnight - day * DAY_MS + (this.minutes % (DAY_MS / MINUTE_MS)) * MINUTE_MS;
    const voter = oneOf(this.random, this.players);
    return this.ballots.cast({ site: PAST, voter, votedAt, channels: [channel], repeatBy: ['webhook'] });
  }
}
