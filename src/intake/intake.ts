import type { RefusalCode } from '../../protocol/votifier/refusals.ts';
import type { SiteConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Arrival } from '../core/decide.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { Vote } from '../core/vote.ts';
import type { Recorded } from '../ledger/ledger.ts';
import type { ReceivedVote, VoteIntake } from '../listener/vote-intake.ts';
import { judgeArrival } from './arrival.ts';
import type { GroupCommit } from './group-commit.ts';
import { matchSite } from './sites.ts';
import { UnansweredVotes } from './unanswered-votes.ts';

export interface IntakeParts {
  readonly sites: ReadonlyMap<string, SiteConfig>;
  readonly bedrockPrefixes: readonly string[];
  readonly commit: GroupCommit;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every vote once it is on disk. */
  readonly onRecorded: (vote: Vote, recorded: Recorded) => void;
  /** Told why a vote could not be stored. */
  readonly onUnable: (vote: Vote, problem: Problem) => void;
}

/** The one door for votes into the ledger: site, player name, cast time, identity; then the ledger decides. */
export class Intake implements VoteIntake {
  private readonly parts: IntakeParts;
  private readonly unanswered: UnansweredVotes;

  constructor(parts: IntakeParts) {
    this.parts = parts;
    this.unanswered = new UnansweredVotes((arrival) => this.record(arrival), parts.clock, parts.log);
  }

  tokenOf(serviceName: string): string | null {
    return matchSite(this.parts.sites, serviceName).entry.token?.reveal() ?? null;
  }

  async accept(received: ReceivedVote): Promise<RefusalCode | null> {
    const { sites, bedrockPrefixes } = this.parts;
    const judged = judgeArrival(received, sites, bedrockPrefixes);
    if (typeof judged === 'string') return judged;
    try {
      await this.record(judged);
      return null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.parts.onUnable(judged.vote, error);
      if (received.channel === 'listener-v1') this.unanswered.keep(judged);
      return 'ledger-unable';
    }
  }

  /** Stores what it can of what could not be stored before. */
  close(): Promise<void> {
    return this.unanswered.close();
  }

  private async record(arrival: Arrival): Promise<void> {
    const recorded = await this.parts.commit.record(arrival);
    this.parts.onRecorded(arrival.vote, recorded);
  }
}
