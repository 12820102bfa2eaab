import type { RefusalCode } from '../../protocol/votifier/refusals.ts';
import type { SiteConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { Arrival, Draws, JudgedArrival } from '../core/decide.ts';
import { isoTime } from '../core/instant.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { CLAIM_TOLERANCE_MS, type Vote } from '../core/vote.ts';
import type { Recorded } from '../ledger/ledger.ts';
import type { ReceivedVote, VoteIntake } from '../listener/vote-intake.ts';
import { judgeArrival } from './arrival.ts';
import type { GroupCommit } from './group-commit.ts';
import { judgeReport, type ReportRefusal, type VoteReport } from './vote-report.ts';
import { matchSite } from './sites.ts';
import { UnansweredVotes } from './unanswered-votes.ts';

/** What the config says of votes. */
export interface IntakeSettings {
  readonly sites: ReadonlyMap<string, SiteConfig>;
  readonly bedrockPrefixes: readonly string[];
  /** The random numbers for one vote. */
  readonly draw: () => Draws;
  /** Decides by the rewards of the same config. */
  readonly commit: GroupCommit;
}

export interface IntakeParts extends IntakeSettings {
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every vote once it is on disk. */
  readonly onRecorded: (vote: Vote, recorded: Recorded) => void;
  /** Told why a vote could not be stored: a Problem, or a bug. */
  readonly onUnable: (vote: Vote, error: unknown) => void;
  /** Told of a v1 vote that never could be, and that nobody will send again. */
  readonly onLost: (vote: Vote) => void;
  /** Called when a vote was recorded after the terms that it was judged by had been replaced. */
  readonly onRecordedLate?: () => void;
}

export type ReportAnswer =
  | { readonly kind: 'recorded'; readonly recorded: Recorded }
  | { readonly kind: 'refused'; readonly code: ReportRefusal }
  /** It is not stored; another time it may be. */
  | { readonly kind: 'unable' };

/** The one door for votes into the ledger: site, player name, cast time, identity; then the ledger decides. */
export class Intake implements VoteIntake {
  private readonly unanswered: UnansweredVotes;
  private terms: IntakeSettings;
  /** A vote is decided by the config that it was judged by, also where it is stored after a reload. */
  private readonly judgedBy = new WeakMap<Arrival, GroupCommit>();

  constructor(private readonly parts: IntakeParts) {
    this.terms = parts;
    const { clock, log, onLost } = parts;
    this.unanswered = new UnansweredVotes((arrival) => this.record(arrival), clock, log, onLost);
  }

  /** Judges the votes from now on by these terms. Those in hand keep theirs. */
  apply(terms: IntakeSettings): void {
    this.terms = terms;
  }

  tokenOf(serviceName: string): string | null {
    return matchSite(this.terms.sites, serviceName).entry.token?.reveal() ?? null;
  }

  async accept(received: ReceivedVote): Promise<RefusalCode | null> {
    const { log } = this.parts;
    const { sites, bedrockPrefixes } = this.terms;
    try {
      const judged = judgeArrival(received, sites, bedrockPrefixes);
      if (typeof judged === 'string') return judged;
      return await this.store(this.arrival(judged));
    } catch (error) {
      // A bug must not end the process: the votes after this one are taken.
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      log.error({ code: 'bug', stack }, `a vote was not judged, by a bug in Teller: ${message}`);
      return 'ledger-unable';
    }
  }

  /** A vote by another road than the listener's; whoever told of it will tell again where it is unable. */
  async acceptReport(listed: VoteReport): Promise<ReportAnswer> {
    const { onUnable } = this.parts;
    const { sites, bedrockPrefixes } = this.terms;
    // A reload is adding or removing its entry at this moment: its listing sends it again, by the config of then.
    if (!sites.has(listed.site)) return { kind: 'unable' };
    const judged = judgeReport(listed, sites, bedrockPrefixes);
    if (typeof judged === 'string') return { kind: 'refused', code: judged };
    const arrival = this.arrival(judged);
    if (listed.votedAt > listed.receivedAt + CLAIM_TOLERANCE_MS) {
      onUnable(judged.vote, early(listed));
      return { kind: 'unable' };
    }
    try {
      return { kind: 'recorded', recorded: await this.record(arrival) };
    } catch (error) {
      onUnable(judged.vote, error);
      return { kind: 'unable' };
    }
  }

  /** With what its decision needs of the terms it was judged by, however often and late it is stored. */
  private arrival(judged: JudgedArrival): Arrival {
    const arrival = { ...judged, draws: this.terms.draw() };
    this.judgedBy.set(arrival, this.terms.commit);
    return arrival;
  }

  /** Stores what it can of what could not be stored before. */
  close(): Promise<void> {
    return this.unanswered.close();
  }

  /** What a v1 sender sent once and for all is refused only when it is lost; a v2 sender hears and sends again. */
  private async store(arrival: Arrival): Promise<RefusalCode | null> {
    try {
      await this.record(arrival);
      return null;
    } catch (error) {
      this.parts.onUnable(arrival.vote, error);
      if (arrival.vote.channel !== 'listener-v1') return 'ledger-unable';
      this.unanswered.keep(arrival);
      return null;
    }
  }

  private async record(arrival: Arrival): Promise<Recorded> {
    const commit = this.judgedBy.get(arrival) ?? this.terms.commit;
    const recorded = await commit.record(arrival);
    this.parts.onRecorded(arrival.vote, recorded);
    if (commit !== this.terms.commit) this.parts.onRecordedLate?.();
    return recorded;
  }
}

const early = ({ votedAt, receivedAt }: VoteReport): Problem =>
  new Problem(
    'vote-early',
    `its listing says that it was cast at ${isoTime(votedAt)}, and it is ${isoTime(receivedAt)}; compare both clocks. It is taken when it has been cast.`,
  );
