/**
 * Finds the votes that a listing has recorded but that never arrived, because Teller was down or a delivery to the
 * listener failed, which is never repeated: it reads the listing's API after the start and at every interval. Missed
 * votes are submitted oldest first, one at a time, each once, as if they had arrived in time. Each site is handled
 * separately, so that one that is down does not delay the others.
 */
import type { ReportedVote, UnreadVote } from '../../protocol/listing-api.ts';
import type { SiteApi, SiteConfig } from '../config/config.ts';
import { type Clock, isClockSet, pause, startOf } from '../core/clock.ts';
import { DAY_MS, durationText } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { retryDelayMs } from '../core/retry.ts';
import { shownService } from '../core/service-name.ts';
import { CLAIM_TOLERANCE_MS } from '../core/vote.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { DATES_IGNORED, Gap, Pages, type Reading, type Slice } from './catch-up-pages.ts';
import type { ChannelParts } from './intake.ts';
import {
  askForVotes,
  faultWith,
  ListingClock,
  type ListingFault,
  redacting,
  unfitFault,
} from './listing-client.ts';
import { type RewardPeriod, rewardPeriodOf, unrewardedReason } from './sites.ts';

type RecoveryParts = ChannelParts & { readonly ledger: Ledger };

export interface RecoveryStatus {
  readonly site: string;
  /** Every vote that the listing knew then has been looked for; null: not since the start. */
  readonly lookedUntil: number | null;
  /** The fault that blocks it now; null: none. */
  readonly lastFault: Pick<ListingFault<string>, 'code' | 'sentence'> | null;
}

/** Finds the missed votes of every site that has an `api`. */
export class Recovery {
  private readonly sites = new Map<string, SiteRecovery>();

  /** Throws the Problem `secret-missing` if a token was not found. */
  constructor(
    sites: ReadonlyMap<string, SiteConfig>,
    private readonly parts: RecoveryParts,
  ) {
    this.add(sites);
  }

  /** Looks for missed votes now and at every interval. */
  start(): void {
    for (const site of this.sites.values()) site.start();
  }

  /** Starts looking for votes of the sites that are new. */
  startNew(sites: ReadonlyMap<string, SiteConfig>): void {
    for (const site of this.add(sites)) site.start();
  }

  /** Stops looking for votes of these sites: cancels requests, and resolves when the votes being submitted are stored. */
  async drop(isDropped: (site: string) => boolean): Promise<void> {
    const dropped = [...this.sites.values()].filter(({ site }) => isDropped(site));
    for (const { site } of dropped) this.sites.delete(site);
    await Promise.all(dropped.map((recovery) => recovery.close()));
  }

  /** The same for all sites. */
  close(): Promise<void> {
    return this.drop(() => true);
  }

  /** In the order of the config. */
  status(): readonly RecoveryStatus[] {
    return [...this.sites.values()].map((site) => site.status());
  }

  private add(sites: ReadonlyMap<string, SiteConfig>): readonly SiteRecovery[] {
    const added = [...sites].flatMap(([site, config]) =>
      config.api === null || this.sites.has(site)
        ? []
        : [new SiteRecovery(site, config, config.api, this.parts)],
    );
    for (const recovery of added) this.sites.set(recovery.site, recovery);
    return added;
  }
}

/**
 * The next reading starts this long before the newest vote that was read, because a vote may be reported later than it
 * was cast. Votes that are known are not submitted again.
 */
const OVERLAP_MS = 10 * 60_000;
/** The listing service keeps votes for no longer than this, and no player expects a reward after it. */
const LONGEST_GAP_MS = 90 * DAY_MS;
const UNREAD_KEPT_MAX = 1_000;
/** Used instead of an address in the refusal statistics. */
const SENDER = 'the listing’s API';

/** Finds the missed votes of one site. */
class SiteRecovery {
  private readonly retries: Retries;
  private readonly listingClock: ListingClock;
  private readonly startedAt: (now: number) => number;
  /** Removes the token from the API's text: a service that echoes the request must not get the token into our log. */
  private readonly redact: (text: string) => string;
  private running: Promise<void> = Promise.resolve();
  private lookedUntil: number | null = null;
  /** The cast time of the newest vote that was read; all older ones are in the ledger. null: none has been read yet. */
  private recoveredUntil: number | null = null;
  /** Votes since the start that no other channel had brought before. */
  private found = 0;
  /**
   * The cast times of refused votes by event ID: as they are not in the ledger, every reading of the overlap reports
   * them again.
   */
  private readonly refused = new Map<string, number>();
  /** Records that are not votes, as received, which every reading reports again. */
  private readonly unread = new Set<string>();
  /** Full instants that were already logged, because within the overlap every reading finds them again. */
  private readonly loggedInstants = new Set<number>();

  constructor(
    readonly site: string,
    private readonly config: SiteConfig,
    private readonly api: SiteApi,
    private readonly parts: RecoveryParts,
  ) {
    const { clock, random, log } = parts;
    this.redact = redacting(api.token.reveal());
    this.startedAt = startOf(clock);
    this.retries = new Retries(site, api.intervalMs, clock, random, log);
    this.listingClock = new ListingClock(site, clock, log);
  }

  start(): void {
    this.running = this.run();
  }

  status(): RecoveryStatus {
    return { site: this.site, lookedUntil: this.lookedUntil, lastFault: this.retries.fault };
  }

  close(): Promise<void> {
    this.retries.close();
    return this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.retries;
    while (!signal.aborted) {
      try {
        await this.catchUp();
        await this.retries.wait(this.api.intervalMs);
      } catch (error) {
        if (!signal.aborted) await this.retries.survive(error);
      }
    }
  }

  private async catchUp(): Promise<void> {
    const { clock, log } = this.parts;
    const before = this.found;
    const begunAt = clock.now();
    // A first-start time of 1970 would make the whole history payable.
    await this.retries.untilDone(async () => (isClockSet(clock.now()) ? DONE : CLOCK_UNSET));
    await this.rewardPeriod(); // The site is first seen now, before any request: its API may not answer for hours.
    const gap = new Gap(await this.beginning());
    while (gap.slice !== null) await this.readSlice(gap, gap.slice);
    this.lookedUntil = begunAt;
    this.retries.recovered();
    const found = this.found - before;
    if (found === 0) return;
    const sentence = `found ${found} missed vote(s) of ${shownService(this.site)}`;
    log.info({ code: 'recovered', site: this.site, found }, sentence);
  }

  /** The period since the start; the time of the start becomes more exact as both clocks are compared. */
  private rewardPeriod(): Promise<RewardPeriod> {
    const { site, config, parts } = this;
    const startedAt = () => this.startedAt(this.listingClock.earlier());
    return this.retries.ledger(() => rewardPeriodOf(site, config, parts.ledger, startedAt()));
  }

  /**
   * One overlap before the newest vote that was read. Progress is measured by the votes' own times, which the listing
   * sets, so that a wrong clock of ours cannot skip votes. The very first reading goes back as far as a vote can be
   * rewarded, or to `payFrom` if that is earlier.
   */
  private async beginning(): Promise<number> {
    const { site, api, parts } = this;
    this.recoveredUntil = await this.retries.ledger(() => parts.ledger.recoveredUntil(site));
    const now = this.listingClock.earlier();
    const begin =
      this.recoveredUntil === null
        ? Math.min(api.payFrom ?? now, now - api.maxAgeMs)
        : Math.min(this.recoveredUntil, now) - OVERLAP_MS;
    const from = Math.max(begin, now - LONGEST_GAP_MS);
    // What was cast before is not reported again.
    for (const [id, votedAt] of this.refused) if (votedAt < from) this.refused.delete(id);
    for (const instant of this.loggedInstants) if (instant < from) this.loggedInstants.delete(instant);
    return from;
  }

  private async readSlice(gap: Gap, slice: Slice): Promise<void> {
    const { ledger, clock } = this.parts;
    const pages = new Pages(slice, clock.now() + CLAIM_TOLERANCE_MS);
    let reading: Reading = { kind: 'more' };
    while (reading.kind === 'more') reading = await this.retries.untilDone(() => this.readPage(pages));
    // The slice is read again after the wait, up to the present: a new vote would prove that the API answers.
    if (reading.kind === 'unfit') return this.retries.waitAfter(unfitFault(reading.why));
    if (reading.kind === 'too-many') return gap.shrink(slice, reading.oldestRead, clock.now());
    this.logFullInstants(pages.fullInstants);
    const votes = pages.votes();
    await this.submitAll(votes);
    const newest = votes.at(-1)?.votedAt ?? Number.NEGATIVE_INFINITY;
    if (newest > (this.recoveredUntil ?? Number.NEGATIVE_INFINITY)) {
      await this.retries.ledger(() => ledger.setRecoveredUntil(this.site, newest));
      this.recoveredUntil = newest;
    }
    gap.advance(slice, pages.pagesRead, clock.now());
  }

  private async readPage(pages: Pages): Promise<Attempt<Reading>> {
    const { site, api, parts, retries } = this;
    await retries.takeTurn();
    const answer = await askForVotes(site, api, pages.question, parts.clock, retries.signal);
    if (answer.kind !== 'ok') return answer;
    this.listingClock.compare(answer.serviceTime);
    const reading = pages.take(answer.votes);
    if (reading.kind !== 'unfit') this.countUnread(answer.votes.unread);
    if (reading.kind === 'dates-ignored') return DATES_IGNORED;
    return { kind: 'done', value: reading };
  }

  /**
   * Submits one vote at a time, oldest first, and retries each until it is stored. If they were submitted together and
   * one failed while a later one succeeded, a newer vote would be judged before an older one.
   */
  private async submitAll(votes: readonly ReportedVote[]): Promise<void> {
    // Computed again, because the listing has reported its time meanwhile.
    const period = await this.rewardPeriod();
    const ids = votes.map(({ id }) => id);
    const known = await this.retries.ledger(() => this.parts.ledger.knownEvents(this.site, ids));
    for (const vote of votes) {
      if (known.has(vote.id) || this.refused.has(vote.id)) continue;
      await this.retries.untilDone(() => this.submit(vote, period));
    }
  }

  private async submit(vote: ReportedVote, period: RewardPeriod): Promise<Attempt<null>> {
    const { intake, refusals, clock } = this.parts;
    const { id, userId, votedAt, metadata } = vote;
    const answer = await intake.acceptReport({
      channel: 'api',
      site: this.site,
      eventId: id,
      userId,
      player: metadata.playerName ?? null,
      game: this.config.game,
      votedAt,
      receivedAt: clock.now(),
      address: null,
      // The age is measured by the listing's clock, which dates the vote: by ours, every vote would be too old if it is
      // days ahead.
      unrewarded: unrewardedReason(votedAt, period, this.listingClock.earlier()),
      text: JSON.stringify({ id, userId, votedAt: isoTime(votedAt), metadata }),
    });
    if (answer.kind === 'unable') return VOTE_NOT_STORED;
    if (answer.kind === 'refused') {
      this.refused.set(id, votedAt);
      const detail = `vote ${this.redact(id)} of ${this.redact(metadata.playerName ?? userId)}`;
      refusals.count(`api-${answer.code}`, this.site, SENDER, detail);
    } else if (answer.recorded.kind === 'new') this.found++;
    return DONE;
  }

  /** Every reading reports them again, but they are counted once. */
  private countUnread(records: readonly UnreadVote[]): void {
    for (const { text, why } of records) {
      if (this.unread.has(text)) continue;
      if (this.unread.size >= UNREAD_KEPT_MAX) this.unread.clear();
      this.unread.add(text);
      const detail = `${this.redact(text)}; ${this.redact(why)}`;
      this.parts.refusals.count('api-not-a-vote', this.site, SENDER, detail);
    }
  }

  private logFullInstants(instants: ReadonlySet<number>): void {
    for (const instant of instants) {
      if (this.loggedInstants.has(instant)) continue;
      this.loggedInstants.add(instant);
      const at = isoTime(instant);
      const sentence = `${shownService(this.site)} has 100 or more votes of one instant (${at}); its API reports only 100 of them`;
      this.parts.log.error({ code: 'recovery-crowded', site: this.site, at }, sentence);
    }
  }
}

type Fault = ListingFault<string>;
type Attempt<Value> = { readonly kind: 'done'; readonly value: Value } | Fault;

const DONE: Attempt<null> = { kind: 'done', value: null };

const CLOCK_UNSET = faultWith(
  'clock-unset',
  'This machine’s clock shows a year before 2026, so Teller cannot tell which votes were missed. Set it; until then Teller does not look for missed votes.',
  true,
);

/** The intake has logged the reason. */
const VOTE_NOT_STORED = faultWith(
  'vote-not-stored',
  'A missed vote was found but could not be stored; the previous log line gives the reason. It is retried, and later votes wait.',
  true,
);

const FIRST_RETRY_MS = 1000;
/** The longest wait after a fault that may go away, even if the interval is a day. */
const LONGEST_RETRY_MS = 10 * 60_000;
/**
 * The API accepts 30 requests a minute for each listing. Five are left for other programs that use the same
 * listing's token, and for requests that arrive closer together than they were sent.
 */
const REQUESTS_PER_MINUTE = 25;
const MINUTE_MS = 60_000;

/** The waits and retries of one site. It retries without end, and logs each cause once. */
class Retries {
  /** The fault that blocks it now. */
  fault: Fault | null = null;
  private readonly ending = new AbortController();
  /** Aborts when it is closed. */
  readonly signal = this.ending.signal;
  private readonly logged = new Set<string>();
  private failures = 0;
  /** When the requests of the last minute were sent, in monotonic time. */
  private requests: number[] = [];

  constructor(
    private readonly site: string,
    private readonly intervalMs: number,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  /** Ends the current wait, and makes it and later ones throw. */
  close(): void {
    this.ending.abort();
  }

  /** Throws when it is closed, and whatever `attempt` throws. */
  async untilDone<Value>(attempt: () => Promise<Attempt<Value>>): Promise<Value> {
    for (;;) {
      const result = await attempt();
      this.signal.throwIfAborted();
      if (result.kind === 'done') {
        this.failures = 0;
        this.fault = null;
        return result.value;
      }
      await this.waitAfter(result);
    }
  }

  /** The same for the ledger's methods, which reject with a Problem if they fail. */
  ledger<Value>(ask: () => Promise<Value>): Promise<Value> {
    return this.untilDone(async () => {
      try {
        return { kind: 'done', value: await ask() };
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return faultWith(error.code, error.message, true);
      }
    });
  }

  /** A bug must stop neither the process nor the recovery. Never rejects. */
  async survive(error: unknown): Promise<void> {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    this.log.error({ code: 'bug', stack }, `looking for missed votes failed: ${message}`);
    await this.waitAfter(faultWith('bug', `A bug in Teller: ${message}`, false)).catch(() => {});
  }

  /** A wait that the service asks for is kept in full. */
  async waitAfter(found: Fault): Promise<void> {
    const { site, intervalMs, clock, log } = this;
    const { code, sentence, mayPass, retryAfterMs } = found;
    this.fault = found;
    this.failures++;
    if (!this.logged.has(code)) {
      this.logged.add(code);
      const fields = { code: 'recovery-fault', site, cause: code };
      const line = `cannot look for missed votes of ${shownService(site)} now; Teller keeps trying. ${sentence}`;
      if (mayPass) log.warn(fields, line);
      else log.error(fields, line);
    }
    if (retryAfterMs > LONGEST_RETRY_MS) {
      // Without this line, nobody would know why nothing happens for hours.
      const until = isoTime(clock.now() + retryAfterMs);
      const line = `the API of ${shownService(site)} asked to wait ${durationText(retryAfterMs)}: Teller looks for missed votes again at ${until}`;
      log.warn({ code: 'recovery-left-alone', site, until }, line);
    }
    const schedule = { firstMs: FIRST_RETRY_MS, longestMs: Math.min(intervalMs, LONGEST_RETRY_MS) };
    const delayMs = mayPass ? retryDelayMs(schedule, this.failures, this.random) : intervalMs;
    await this.wait(retryAfterMs || delayMs);
  }

  /** Throws when it is closed. */
  async wait(ms: number): Promise<void> {
    await pause(this.clock, ms, this.signal);
    this.signal.throwIfAborted();
  }

  /** Waits until another request may be sent, and counts it: never more than `REQUESTS_PER_MINUTE` in any 60 s. */
  async takeTurn(): Promise<void> {
    for (;;) {
      const now = this.clock.monotonic();
      this.requests = this.requests.filter((at) => now - at < MINUTE_MS);
      const [first = now] = this.requests;
      if (this.requests.length < REQUESTS_PER_MINUTE) break;
      await this.wait(Math.ceil(first + MINUTE_MS - now));
    }
    this.requests.push(this.clock.monotonic());
  }

  /** Call this when everything was read: the logged faults are over, and are logged again if they return. */
  recovered(): void {
    if (this.logged.size === 0) return;
    const sentence = `looking for missed votes of ${shownService(this.site)} works again`;
    this.log.info({ code: 'recovery-mended', site: this.site }, sentence);
    this.logged.clear();
  }
}
