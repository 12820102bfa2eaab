import type { RefusalCode } from '../../protocol/votifier/refusals.ts';
import type { SiteConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { Vote } from '../core/vote.ts';
import type { Recorded } from '../ledger/ledger.ts';
import type { ReceivedVote, VoteIntake } from '../listener/vote-intake.ts';
import { judgeArrival } from './arrival.ts';
import type { GroupCommit } from './group-commit.ts';
import { matchSite } from './sites.ts';

export interface IntakeParts {
  readonly sites: ReadonlyMap<string, SiteConfig>;
  readonly bedrockPrefixes: readonly string[];
  readonly commit: GroupCommit;
  readonly clock: Clock;
  /** Told of every vote once it is on disk. */
  readonly onRecorded: (vote: Vote, recorded: Recorded) => void;
  /** Told why a vote could not be stored. */
  readonly onUnable: (vote: Vote, problem: Problem) => void;
}

/** The one door for votes into the ledger: site, player name, cast time, identity; then the ledger decides. */
export class Intake implements VoteIntake {
  private readonly parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.parts = parts;
  }

  tokenOf(serviceName: string): string | null {
    return matchSite(this.parts.sites, serviceName).entry.token?.reveal() ?? null;
  }

  async accept(received: ReceivedVote): Promise<RefusalCode | null> {
    const { sites, bedrockPrefixes } = this.parts;
    const judged = judgeArrival(received, sites, bedrockPrefixes);
    if (typeof judged === 'string') return judged;
    try {
      const recorded = await this.parts.commit.record(judged);
      this.parts.onRecorded(judged.vote, recorded);
      return null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.parts.onUnable(judged.vote, error);
      return 'ledger-unable';
    }
  }
}
