import type { SiteApi, SiteConfig } from '../../config/config.ts';
import { type Clock, isClockSet, startOf } from '../../core/clock.ts';
import { DAY_MS } from '../../core/duration.ts';
import { isoTime } from '../../core/instant.ts';
import type { Log } from '../../core/log.ts';
import type { Random } from '../../core/random.ts';
import { shownService } from '../../core/service-name.ts';
import { CLAIM_TOLERANCE_MS } from '../../core/vote.ts';
import type { RecoveryLedger } from '../../ledger/ledger.ts';
import type { Intake } from '../intake/intake.ts';
import type { RefusalCounter } from '../intake/refusal-codes.ts';
import { type RewardPeriod, rewardPeriodOf } from '../intake/reward-period.ts';
import type { ListingClient } from '../listing-client/listing-client.ts';
import { redacting } from '../listing-client/wording.ts';
import { ListingClock } from './clocks.ts';
import { bugFault, CLOCK_UNSET, DATES_IGNORED, faultOf, unfitFault } from './faults.ts';
import { Pace } from './pace.ts';
import { Pages, type Reading } from './pages.ts';
import { Pause } from './pause.ts';
import { type Attempt, type LastFault, Retries } from './retries.ts';
import { Gap, type Slice } from './slices.ts';
import { Submitter } from './submit.ts';

/**
 * The next reading starts this long before the newest vote that was read, because a vote may be reported later than it
 * was cast. Votes that are known are not submitted again.
 */
const OVERLAP_MS = 10 * 60_000;
/** The listing service keeps votes for no longer than this, and no player expects a reward after it. */
const LONGEST_GAP_MS = 90 * DAY_MS;

export interface SiteRecoveryParts {
  readonly site: string;
  readonly config: SiteConfig;
  readonly api: SiteApi;
  /** Makes one request for each call: waits and retries happen here, where requests are paced. */
  readonly client: Pick<ListingClient, 'votes'>;
  readonly ledger: RecoveryLedger;
  readonly intake: Pick<Intake, 'acceptReport'>;
  readonly refusals: RefusalCounter;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface RecoveryStatus {
  readonly site: string;
  /** When everything up to the present had last been read; null: not since the start. */
  readonly lastAt: number | null;
  /** Every vote that the listing knew then has been looked for; null: not since the start. */
  readonly lookedUntil: number | null;
  /** The time of the newest vote read from the listing; all older ones are in the ledger. null: none has been read yet. */
  readonly recoveredUntil: number | null;
  /** The fault that blocks it now; null: none. */
  readonly lastFault: LastFault | null;
  /** Votes since the start that no other channel had brought before. */
  readonly found: number;
}

/** Finds the missed votes of one site: after the start, at every interval, and when asked. */
export class SiteRecovery {
  private readonly pause: Pause;
  private readonly retries: Retries;
  private readonly pace = new Pace();
  private readonly submitter: Submitter;
  private readonly listingClock: ListingClock;
  private readonly startedAt: (now: number) => number;
  /** Full instants that were already logged, because within the overlap every poll finds them again. */
  private readonly loggedInstants = new Set<number>();
  private running: Promise<void> = Promise.resolve();
  private isWanted = false;
  private lastAt: number | null = null;
  private lookedUntil: number | null = null;
  private recoveredUntil: number | null = null;

  constructor(private readonly parts: SiteRecoveryParts) {
    const { site, clock, random, log } = parts;
    this.startedAt = startOf(clock);
    this.pause = new Pause(clock);
    const { intervalMs } = parts.api;
    this.retries = new Retries({ site, intervalMs, pause: this.pause, clock, random, log });
    this.listingClock = new ListingClock(site, clock, log);
    const redact = redacting([parts.api.token.reveal()]);
    this.submitter = new Submitter({
      ...parts,
      retries: this.retries,
      listingClock: this.listingClock,
      redact,
    });
  }

  start(): void {
    this.running = this.run();
  }

  /** Looks now. If a search is already running, looks once more after it. */
  nudge(): void {
    this.isWanted = true;
    this.pause.wake();
  }

  status(): RecoveryStatus {
    const { lastAt, lookedUntil, recoveredUntil } = this;
    const { found } = this.submitter;
    return {
      site: this.parts.site,
      lastAt,
      lookedUntil,
      recoveredUntil,
      lastFault: this.retries.fault,
      found,
    };
  }

  close(): Promise<void> {
    this.pause.close();
    return this.running;
  }

  private async run(): Promise<void> {
    while (!this.pause.signal.aborted) {
      try {
        this.isWanted = false;
        await this.catchUp();
        if (!this.isWanted) await this.pause.atMost(this.parts.api.intervalMs);
      } catch (error) {
        await this.survive(error);
      }
    }
  }

  /** A bug must stop neither the process nor the recovery. */
  private async survive(error: unknown): Promise<void> {
    if (this.pause.signal.aborted) return;
    const bug = error instanceof Error ? error : new Error(String(error));
    this.parts.log.error(
      { code: 'bug', stack: bug.stack },
      `looking for missed votes failed: ${bug.message}`,
    );
    await this.retries.waitAfter(bugFault(bug)).catch(() => {});
  }

  private async catchUp(): Promise<void> {
    const { clock, log, site } = this.parts;
    const before = this.submitter.found;
    const begunAt = clock.now();
    await this.retries.untilDone(async () => this.requireClock());
    await this.rewardPeriod(); // The site is first seen now, before any request: its API may not answer for hours.
    const gap = new Gap(await this.beginning());
    while (gap.slice !== null) await this.readSlice(gap, gap.slice);
    this.lastAt = clock.now();
    this.lookedUntil = begunAt;
    this.retries.recovered();
    const found = this.submitter.found - before;
    if (found === 0) return;
    const sentence = `found ${found} missed vote(s) of ${shownService(site)}`;
    log.info({ code: 'recovered', site, found }, sentence);
  }

  /** A first-start time of 1970 would make the whole history payable. */
  private requireClock(): Attempt<null> {
    const isSet = isClockSet(this.parts.clock.now());
    return isSet ? { kind: 'done', value: null } : { kind: 'failed', fault: CLOCK_UNSET };
  }

  /** The period since the start; the time of the start becomes more exact as both clocks are compared. */
  private rewardPeriod(): Promise<RewardPeriod> {
    const { config, ledger, site } = this.parts;
    const startedAt = () => this.startedAt(this.listingClock.earlier());
    return this.retries.ledger(() => rewardPeriodOf(site, config, ledger, startedAt()));
  }

  /**
   * One overlap before the newest vote that was read. Progress is measured by the votes' own times, which the listing
   * sets, so that a wrong clock of ours cannot skip votes. The very first reading goes back as far as a vote can be
   * rewarded, or to `payFrom` if that is earlier.
   */
  private async beginning(): Promise<number> {
    const { ledger, site, api } = this.parts;
    this.recoveredUntil = await this.retries.ledger(() => ledger.recoveredUntil(site));
    const now = this.listingClock.earlier();
    const begin =
      this.recoveredUntil === null
        ? Math.min(api.payFrom ?? now, now - api.maxAgeMs)
        : Math.min(this.recoveredUntil, now) - OVERLAP_MS;
    const from = Math.max(begin, now - LONGEST_GAP_MS);
    this.submitter.forgetRefused(from);
    for (const instant of this.loggedInstants) {
      if (instant < from) this.loggedInstants.delete(instant);
    }
    return from;
  }

  private async readSlice(gap: Gap, slice: Slice): Promise<void> {
    const { clock } = this.parts;
    const pages = new Pages(slice, clock.now() + CLAIM_TOLERANCE_MS);
    let reading: Reading = { kind: 'more' };
    while (reading.kind === 'more') reading = await this.retries.untilDone(() => this.readPage(pages));
    // The slice is read again after the wait, up to the present: a new vote would prove that the API answers.
    if (reading.kind === 'unfit') return this.retries.waitAfter(unfitFault(reading.why));
    if (reading.kind === 'too-many') return gap.shrink(slice, reading.oldestRead, clock.now());
    this.logFullInstants(pages.fullInstants);
    const votes = pages.votes();
    // Computed again, because the listing has reported its time meanwhile.
    await this.submitter.submitAll(votes, await this.rewardPeriod());
    await this.noteRecovered(votes.at(-1)?.votedAt ?? null);
    gap.advance(slice, pages.count, clock.now());
  }

  private async noteRecovered(newest: number | null): Promise<void> {
    const { ledger, site } = this.parts;
    if (newest === null || newest <= (this.recoveredUntil ?? Number.NEGATIVE_INFINITY)) return;
    await this.retries.ledger(() => ledger.setRecoveredUntil(site, newest));
    this.recoveredUntil = newest;
  }

  private async readPage(pages: Pages): Promise<Attempt<Reading>> {
    const { client, clock, site } = this.parts;
    for (let ms = this.pace.waitMs(clock.monotonic()); ms > 0; ms = this.pace.waitMs(clock.monotonic())) {
      await this.pause.fully(ms);
    }
    this.pace.send(clock.monotonic());
    const answer = await client.votes(pages.question, { signal: this.pause.signal });
    if (answer.kind !== 'ok') return { kind: 'failed', fault: faultOf(answer, site) };
    this.listingClock.compare(answer.serviceTime);
    const reading = pages.take(answer.value);
    if (reading.kind !== 'unfit') this.submitter.countUnread(answer.value.unread);
    if (reading.kind === 'dates-ignored') return { kind: 'failed', fault: DATES_IGNORED };
    return { kind: 'done', value: reading };
  }

  private logFullInstants(instants: ReadonlySet<number>): void {
    const { site, log } = this.parts;
    for (const at of instants) {
      if (this.loggedInstants.has(at)) continue;
      this.loggedInstants.add(at);
      const fields = { code: 'recovery-crowded', site, at: isoTime(at) };
      const sentence = `${shownService(site)} has 100 or more votes of one instant (${isoTime(at)}); its API reports only 100 of them`;
      log.error(fields, sentence);
    }
  }
}
