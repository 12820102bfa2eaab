/**
 * Every vote reaches the ledger through here, from the listener, the webhook and the listings' APIs. A vote is judged by the config in
 * force, given its random draws, and stored; only then is it answered (rule 1). What happens after the commit changes no answer.
 * A v1 vote that cannot be stored is kept and tried again; the other senders are asked to send theirs later.
 */
import type { RefusalCode } from '../../protocol/votifier/refusals.ts';
import { type Config, zoneOf } from '../config/config.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { type ClockReading, readingOf } from '../core/clock-reading.ts';
import type { JudgedArrival } from '../core/decide.ts';
import { isoTime } from '../core/instant.ts';
import type { Log } from '../core/log.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { shownService } from '../core/service-name.ts';
import { CLAIM_TOLERANCE_MS, type Vote } from '../core/vote.ts';
import type { Ledger, Recorded } from '../ledger/ledger.ts';
import { type Arrival, drawFor, type Rules } from '../rewards/reward.ts';
import { arrivalOf, judgeArrival, judgeReport, type ReportRefusal, type VoteReport } from './judge-vote.ts';
import type { ReceivedVote, VoteIntake } from './listener.ts';
import type { RefusalCounter } from './refusals.ts';
import { matchSite, rulesOf } from './sites.ts';

/** What the channels by which listings report votes are built on. */
export interface ChannelParts {
  readonly intake: Pick<Intake, 'acceptReport'>;
  readonly refusals: RefusalCounter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

interface IntakeParts extends Pick<ChannelParts, 'clock' | 'random' | 'log'> {
  readonly ledger: Ledger;
  /** Called with every vote once it is on disk, in this order, by the names that a failure is logged with. */
  readonly onRecorded: readonly (readonly [string, (vote: Vote, recorded: Recorded) => void])[];
  /** Called when a vote of the listener is answered ok, with how long that took since it had arrived. */
  readonly onAnswered: (ms: number) => void;
  /** Called with the reason why a vote could not be stored: a Problem, or a bug. */
  readonly onUnable: (vote: Vote, error: unknown) => void;
  /** Called with a v1 vote that is lost: it could not be stored, and v1 senders never send again. */
  readonly onLost: (vote: Vote) => void;
  /** Called when a vote was recorded after a reload had replaced the config that it was judged by. */
  readonly onRecordedLate: () => void;
}

type ReportAnswer =
  | { readonly kind: 'recorded'; readonly recorded: Recorded }
  | { readonly kind: 'refused'; readonly code: ReportRefusal }
  /** The vote was not stored; a later attempt may succeed. */
  | { readonly kind: 'unable' };

export class Intake implements VoteIntake {
  private readonly unanswered: UnansweredVotes;
  private rules: Rules;
  private readingOfTurn: ClockReading | null = null;
  /** The names of what has failed after a commit, so that it is logged once. */
  private readonly failed = new Set<string>();

  constructor(
    private config: Config,
    private readonly parts: IntakeParts,
  ) {
    this.rules = rulesOf(config, zoneOf(config, parts.clock));
    const { clock, log, onLost } = parts;
    this.unanswered = new UnansweredVotes((arrival) => this.record(arrival), clock, log, onLost);
  }

  /** Applies to votes that arrive from now on. Votes that are being stored keep the config that they were judged by. */
  apply(config: Config): void {
    this.rules = rulesOf(config, zoneOf(config, this.parts.clock));
    this.config = config;
  }

  tokenOf(serviceName: string): string | null {
    return matchSite(this.config.sites, serviceName).entry.token?.reveal() ?? null;
  }

  /** A v1 sender never sends again, so its vote is kept and retried; a v2 sender gets an error and sends again. */
  async accept(received: ReceivedVote): Promise<RefusalCode | null> {
    const { clock, log, onAnswered } = this.parts;
    const startedAt = clock.monotonic();
    try {
      const judged = judgeArrival(received, this.config.sites, this.config.players.bedrockPrefixes);
      if (typeof judged === 'string') return judged;
      const arrival = this.arrival(judged, received.wire.address);
      try {
        await this.record(arrival);
      } catch (error) {
        this.unable(arrival.vote, error);
        if (received.channel !== 'listener-v1') return 'ledger-unable';
        this.unanswered.keep(arrival);
      }
      this.follow('answered', () => onAnswered(clock.monotonic() - startedAt));
      return null;
    } catch (error) {
      // A bug must not stop the process: later votes still have to be accepted.
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      log.error({ code: 'bug', stack }, `a vote was not judged because of a bug in Teller: ${message}`);
      return 'ledger-unable';
    }
  }

  /** For votes of the webhook and the API. After `unable` the listing reports the vote again. */
  async acceptReport(report: VoteReport): Promise<ReportAnswer> {
    const { sites, players } = this.config;
    // A reload is adding or removing this site. Its listing will report the vote again under the new config.
    if (!sites.has(report.site)) return { kind: 'unable' };
    const judged = judgeReport(report, sites, players.bedrockPrefixes);
    if (typeof judged === 'string') return { kind: 'refused', code: judged };
    if (report.votedAt > report.receivedAt + CLAIM_TOLERANCE_MS) {
      const sentence = `its listing says that it was cast at ${isoTime(report.votedAt)}, but it is ${isoTime(report.receivedAt)} here; compare both clocks. The vote is recorded once its cast time has passed.`;
      this.unable(judged.vote, new Problem('vote-early', sentence));
      return { kind: 'unable' };
    }
    try {
      return { kind: 'recorded', recorded: await this.record(this.arrival(judged, '')) };
    } catch (error) {
      this.unable(judged.vote, error);
      return { kind: 'unable' };
    }
  }

  /** Tries once more to store the votes that could not be stored. */
  close(): Promise<void> {
    return this.unanswered.close();
  }

  private arrival(judged: JudgedArrival, voterAddress: string): Arrival {
    return arrivalOf(judged, this.rules, drawFor(this.parts.random), voterAddress);
  }

  private async record(arrival: Arrival): Promise<Recorded> {
    const { ledger, onRecorded, onRecordedLate } = this.parts;
    const recorded = await ledger.record(arrival, this.reading());
    for (const [name, tell] of onRecorded) this.follow(name, () => tell(arrival.vote, recorded));
    if (arrival.rules !== this.rules) this.follow('late', onRecordedLate);
    return recorded;
  }

  /** One for all votes of a turn of the event loop, so that it is copied to the ledger's thread once for all of them. */
  private reading(): ClockReading {
    const { clock } = this.parts;
    if (this.readingOfTurn === null) clock.nextTurn(() => (this.readingOfTurn = null));
    this.readingOfTurn ??= readingOf(clock);
    return this.readingOfTurn;
  }

  private unable(vote: Vote, error: unknown): void {
    this.follow('unable', () => this.parts.onUnable(vote, error));
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
      const sentence = `votes are stored, but "${name}" fails after that because of a bug: ${message}`;
      try {
        this.parts.log.error({ code: 'bug', after: name, stack }, sentence);
      } catch {
        // The log is what fails.
      }
    }
  }
}

const RETRY_MS = 1_000;
/** About 10 MB: enough for an hour of a full disk at three votes a second. */
const VOTES_MAX = 10_000;
/** On a disk whose commits take 20 ms, 10,000 votes one after another would take four minutes, also at the end. */
const STORED_AT_ONCE = 500;

/** v1 votes that could not be stored, in memory only. They are tried again until they can, because their senders get no answer. */
class UnansweredVotes {
  /** In order of arrival, by block: a sender that repeats a block uses one place only. */
  private readonly votes = new Map<string | Arrival, Arrival>();
  private cancelRetry: Cancel | null = null;
  private storing: Promise<void> = Promise.resolve();
  private isClosed = false;

  /**
   * @param record rejects with the ledger's Problem.
   * @param onLost called with each vote that is given up.
   */
  constructor(
    private readonly record: (arrival: Arrival) => Promise<unknown>,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly onLost: (vote: Vote) => void,
  ) {}

  /** If too many votes are kept already, this one is lost and logged. */
  keep(arrival: Arrival): void {
    const { blockDigest } = arrival.vote;
    const key = blockDigest === null ? arrival : Buffer.from(blockDigest).toString('hex');
    if (this.votes.has(key)) return;
    if (this.votes.size >= VOTES_MAX) {
      this.lose(arrival);
      return;
    }
    this.votes.set(key, arrival);
    this.retryLater();
  }

  /**
   * Tries once more. Votes that still cannot be stored are logged by name, so that an operator can pay them by hand.
   */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelRetry?.();
    await this.storeAll();
    for (const arrival of this.votes.values()) this.lose(arrival);
  }

  private retryLater(): void {
    this.cancelRetry ??= this.clock.after(RETRY_MS, () => void this.retry());
  }

  private async retry(): Promise<void> {
    await this.storeAll();
    this.cancelRetry = null;
    if (this.votes.size > 0 && !this.isClosed) this.retryLater();
  }

  /** One run at a time: two at once would remove each other's votes from the list. */
  private storeAll(): Promise<void> {
    this.storing = this.storing.then(() => this.storeEach());
    return this.storing;
  }

  /**
   * Tries each vote once, so that one that can never be stored does not block the others. The first is tried alone,
   * because a disk that is nearly full may have room for one but not for hundreds; the others share commits.
   */
  private async storeEach(): Promise<void> {
    const votes = [...this.votes];
    let isAvailable = true;
    for (let count = 1; isAvailable && votes.length > 0; count = STORED_AT_ONCE) {
      const tries = votes.splice(0, count).map(async ([key, arrival]) => {
        await this.record(arrival);
        this.votes.delete(key);
      });
      const ends = await Promise.allSettled(tries);
      isAvailable = !ends.some((end) => end.status === 'rejected' && isLedgerUnavailable(end.reason));
    }
  }

  private lose({ vote }: Arrival): void {
    const { service, recipient, receivedAt } = vote;
    const fields = { code: 'vote-lost', service, recipient: recipient.key, receivedAt };
    const whose = `${printable(recipient.key)} on ${shownService(service)}`;
    this.log.error(fields, `a v1 vote of ${whose} could not be stored and is lost`);
    this.onLost(vote);
  }
}

/** The other votes would fail as well: with a locked ledger, each of 10,000 would first wait three seconds. */
const isLedgerUnavailable = (error: unknown): boolean =>
  error instanceof Problem && ['ledger-full', 'ledger-locked', 'ledger-replaced'].includes(error.code);
