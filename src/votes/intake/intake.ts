import type { RefusalCode } from '../../../protocol/votifier/refusals.ts';
import type { SiteConfig } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { type ClockReading, readingOf } from '../../core/clock-reading.ts';
import type { JudgedArrival } from '../../core/decide.ts';
import { isoTime } from '../../core/instant.ts';
import type { Log } from '../../core/log.ts';
import { Problem } from '../../core/problem.ts';
import { CLAIM_TOLERANCE_MS, type Vote } from '../../core/vote.ts';
import type { Recorded, VoteLedger } from '../../ledger/ledger.ts';
import type { Draws } from '../../rewards/draws.ts';
import type { Arrival, Rules } from '../../rewards/reward.ts';
import type { ReceivedVote, VoteIntake } from '../listener/vote-intake.ts';
import { judgeArrival } from './arrival.ts';
import { forwardOf } from './forward.ts';
import { matchSite } from './sites.ts';
import { UnansweredVotes } from './unanswered-votes.ts';
import { judgeReport, type ReportRefusal, type VoteReport } from './vote-report.ts';

/** What the config says about votes. */
export interface IntakeSettings {
  readonly sites: ReadonlyMap<string, SiteConfig>;
  readonly bedrockPrefixes: readonly string[];
  /** The random numbers for one vote. */
  readonly draw: () => Draws;
  /** What the ledger decides by. */
  readonly rules: Rules;
}

export interface IntakeParts extends IntakeSettings {
  readonly ledger: VoteLedger;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with every vote once it is on disk, in this order, by the names that a failure is logged with. */
  readonly onRecorded: Readonly<Record<string, (vote: Vote, recorded: Recorded) => void>>;
  /** Called when a vote of the listener is answered ok, with how long that took since it had arrived. */
  readonly onAnswered?: (ms: number) => void;
  /** Called with the reason why a vote could not be stored: a Problem, or a bug. */
  readonly onUnable: (vote: Vote, error: unknown) => void;
  /** Called with a v1 vote that is lost: it could not be stored, and v1 senders never send again. */
  readonly onLost: (vote: Vote) => void;
  /** Called when a vote was recorded after a reload had replaced the settings that it was judged by. */
  readonly onRecordedLate?: () => void;
}

export type ReportAnswer =
  | { readonly kind: 'recorded'; readonly recorded: Recorded }
  | { readonly kind: 'refused'; readonly code: ReportRefusal }
  /** The vote was not stored; a later attempt may succeed. */
  | { readonly kind: 'unable' };

/**
 * Every vote reaches the ledger through here: it finds site, player name, cast time and identity, and the ledger
 * decides.
 */
export class Intake implements VoteIntake {
  private readonly unanswered: UnansweredVotes;
  private settings: IntakeSettings;
  private readingOfTurn: ClockReading | null = null;
  /** The names of what has failed after a commit, so that it is logged once. */
  private readonly failed = new Set<string>();

  constructor(private readonly parts: IntakeParts) {
    this.settings = parts;
    const { clock, log, onLost } = parts;
    this.unanswered = new UnansweredVotes((arrival) => this.record(arrival), clock, log, onLost);
  }

  /** Applies to votes that arrive from now on. Votes that are being stored keep the settings they were judged by. */
  apply(settings: IntakeSettings): void {
    this.settings = settings;
  }

  tokenOf(serviceName: string): string | null {
    return matchSite(this.settings.sites, serviceName).entry.token?.reveal() ?? null;
  }

  async accept(received: ReceivedVote): Promise<RefusalCode | null> {
    const { clock, log, onAnswered } = this.parts;
    const { sites, bedrockPrefixes } = this.settings;
    try {
      const judged = judgeArrival(received, sites, bedrockPrefixes);
      if (typeof judged === 'string') return judged;
      const startedAt = clock.monotonic();
      const refused = await this.store(this.arrival(judged, received.wire.address));
      if (refused === null) this.follow('answered', () => onAnswered?.(clock.monotonic() - startedAt));
      return refused;
    } catch (error) {
      // A bug must not stop the process: later votes still have to be accepted.
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      log.error({ code: 'bug', stack }, `a vote was not judged because of a bug in Teller: ${message}`);
      return 'ledger-unable';
    }
  }

  /** For votes of the webhook and the API. After `unable` the listing reports the vote again. */
  async acceptReport(report: VoteReport): Promise<ReportAnswer> {
    const { onUnable } = this.parts;
    const { sites, bedrockPrefixes } = this.settings;
    // A reload is adding or removing this site. Its listing will report the vote again under the new config.
    if (!sites.has(report.site)) return { kind: 'unable' };
    const judged = judgeReport(report, sites, bedrockPrefixes);
    if (typeof judged === 'string') return { kind: 'refused', code: judged };
    const arrival = this.arrival(judged, '');
    if (report.votedAt > report.receivedAt + CLAIM_TOLERANCE_MS) {
      this.follow('unable', () => onUnable(judged.vote, tooEarly(report)));
      return { kind: 'unable' };
    }
    try {
      return { kind: 'recorded', recorded: await this.record(arrival) };
    } catch (error) {
      this.follow('unable', () => onUnable(judged.vote, error));
      return { kind: 'unable' };
    }
  }

  /** Adds what the decision needs from the current settings, so that a later or repeated attempt decides the same. */
  private arrival(judged: JudgedArrival, voterAddress: string): Arrival {
    const { draw, rules } = this.settings;
    return { ...judged, draws: draw(), rules, ...forwardOf(judged, voterAddress, rules) };
  }

  /** Tries once more to store the votes that could not be stored. */
  close(): Promise<void> {
    return this.unanswered.close();
  }

  /** A v1 sender never sends again, so its vote is kept and retried; a v2 sender gets an error and sends again. */
  private async store(arrival: Arrival): Promise<RefusalCode | null> {
    try {
      await this.record(arrival);
      return null;
    } catch (error) {
      this.follow('unable', () => this.parts.onUnable(arrival.vote, error));
      if (arrival.vote.channel !== 'listener-v1') return 'ledger-unable';
      this.unanswered.keep(arrival);
      return null;
    }
  }

  private async record(arrival: Arrival): Promise<Recorded> {
    const { ledger, onRecorded, onRecordedLate } = this.parts;
    const recorded = await ledger.record(arrival, this.reading());
    for (const [name, tell] of Object.entries(onRecorded))
      this.follow(name, () => tell(arrival.vote, recorded));
    if (arrival.rules !== this.settings.rules) this.follow('late', () => onRecordedLate?.());
    return recorded;
  }

  /**
   * Runs what follows once it is certain whether a vote is on disk. Its failure is a bug, and changes nothing that the sender is
   * answered: a sender that is told otherwise sends a stored vote again, and a v1 vote would be recorded again and again.
   */
  private follow(name: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      if (this.failed.has(name)) return;
      this.failed.add(name);
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      const fields = { code: 'bug', after: name, stack };
      try {
        this.parts.log.error(
          fields,
          `votes are stored, but "${name}" fails after that because of a bug: ${message}`,
        );
      } catch {
        // The log is what fails.
      }
    }
  }

  /** One for all votes of a turn of the event loop, so that it is copied to the ledger's thread once for all of them. */
  private reading(): ClockReading {
    const { clock } = this.parts;
    if (this.readingOfTurn === null) clock.nextTurn(() => (this.readingOfTurn = null));
    this.readingOfTurn ??= readingOf(clock);
    return this.readingOfTurn;
  }
}

const tooEarly = ({ votedAt, receivedAt }: VoteReport): Problem =>
  new Problem(
    'vote-early',
    `its listing says that it was cast at ${isoTime(votedAt)}, but it is ${isoTime(receivedAt)} here; compare both clocks. The vote is recorded once its cast time has passed.`,
  );
