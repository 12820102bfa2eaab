import type { Cancel, Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Cursor } from '../../web/paging.ts';
import { isDatabaseFault } from '../database/database-fault.ts';
import type { ListingDatabase } from '../database/listing-database.ts';
import {
  type RedeliveryResult,
  RUN_PER_MINUTE_MAX,
  type RunRefusal,
  runRefusalOf,
  runRefusals,
} from './redelivery.ts';
import { type RedeliveryRun, RedeliveryRunStore, type RunEnd, type RunStep } from './redelivery-run-store.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface RedeliveryRunsParts extends ListingDatabase {
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
  readonly log: Log;
  /** One redelivery, within the limit for runs. Never rejects. */
  readonly redeliver: (listingId: string, eventId: string) => Promise<RedeliveryResult>;
}

/** What a run would do, for the confirmation. */
export interface RunPlan {
  readonly events: number;
  /** The shortest time that the run can take within its limit, in minutes. */
  readonly minutes: number;
  /** Why a run cannot start now; null if it can. */
  readonly refusal: { readonly code: RunRefusal; readonly sentence: string } | null;
}

export type RunStarted =
  | { readonly kind: 'started'; readonly run: RedeliveryRun }
  | { readonly kind: 'refused'; readonly code: RunRefusal; readonly sentence: string };

/** The practice clock may move wall time forward, so the limit is checked this often. Also the pause after a database fault. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Redelivers all undelivered events of a listing, one after the other, in the order of the votes, within the limit for
 * redeliveries. A run continues after a restart. A run stops if the webhook is paused, disabled or removed.
 */
export class RedeliveryRuns {
  private readonly store: RedeliveryRunStore;
  private readonly alarms = new Map<string, Cancel>();
  private isClosed = false;

  constructor(private readonly parts: RedeliveryRunsParts) {
    this.store = new RedeliveryRunStore(parts.database);
  }

  /** Continues the runs that were in progress when the last process stopped. */
  start(): void {
    for (const listingId of this.store.running()) this.stepAfter(listingId, 0);
  }

  close(): void {
    this.isClosed = true;
    for (const cancel of this.alarms.values()) cancel();
  }

  async plan(listingId: string, since: number): Promise<RunPlan> {
    const { reads, clock } = this.parts;
    const events = await reads.undeliveredCount(listingId, since, clock.now());
    const isRunning = this.find(listingId)?.state === 'running';
    const code = runRefusalOf(isRunning, this.parts.webhooks.find(listingId), events);
    return {
      events,
      minutes: Math.ceil(events / RUN_PER_MINUTE_MAX),
      refusal: code === null ? null : { code, sentence: runRefusals[code] },
    };
  }

  async begin(listingId: string, since: number): Promise<RunStarted> {
    const { changes, reads, clock } = this.parts;
    const now = clock.now();
    const total = await reads.undeliveredCount(listingId, since, now);
    const begun = await changes.beginRun({ listingId, since, total, now });
    if (begun.kind === 'refused') return { ...begun, sentence: runRefusals[begun.code] };
    this.stepAfter(listingId, 0);
    return begun;
  }

  /** The listing's latest run, which may have ended. */
  find(listingId: string): RedeliveryRun | null {
    return this.store.find(listingId);
  }

  /** A redelivery that is in progress is not cancelled. */
  stop(listingId: string): Promise<void> {
    return this.end(listingId, 'stopped');
  }

  private end(listingId: string, end: RunEnd): Promise<void> {
    return this.parts.changes.endRun(listingId, end, this.parts.clock.now());
  }

  private stepAfter(listingId: string, delayMs: number): void {
    if (this.isClosed) return;
    this.alarms.get(listingId)?.();
    this.alarms.set(
      listingId,
      this.parts.clock.after(delayMs, () => void this.step(listingId)),
    );
  }

  private async step(listingId: string): Promise<void> {
    try {
      const next = await this.parts.reads.nextOfRun(listingId);
      if (this.isClosed) return;
      if (next === null) await this.end(listingId, 'done');
      else await this.follow(listingId, next, await this.parts.redeliver(listingId, next.id));
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
      this.parts.log.warn(
        { code: 'redelivery-run-paused', err: error },
        `a redelivery run is paused, because the database cannot be written: ${error.message}`,
      );
      this.stepAfter(listingId, LOOK_AGAIN_MS);
    }
  }

  private async follow(listingId: string, event: Cursor, result: RedeliveryResult): Promise<void> {
    if (this.isClosed) return;
    const next = nextStepAfter(result);
    if (next.kind === 'end') await this.end(listingId, next.end);
    if (next.kind === 'next') await this.parts.changes.advanceRun(listingId, event, next.step);
    if (next.kind !== 'end') this.stepAfter(listingId, next.kind === 'wait' ? LOOK_AGAIN_MS : 0);
  }
}

type NextStep =
  | { readonly kind: 'next'; readonly step: RunStep }
  | { readonly kind: 'wait' }
  | { readonly kind: 'end'; readonly end: RunEnd };

/** What a run does after one redelivery. */
function nextStepAfter(result: RedeliveryResult): NextStep {
  if (result.kind === 'sent') return { kind: 'next', step: result.result.delivered ? 'delivered' : 'failed' };
  switch (result.code) {
    case 'no-webhook':
    case 'disabled':
    case 'paused':
      return { kind: 'end', end: result.code };
    case 'too-many':
    case 'not-recorded':
      return { kind: 'wait' };
    case 'no-event':
    case 'too-old':
    case 'being-sent':
      return { kind: 'next', step: 'skipped' };
  }
}
