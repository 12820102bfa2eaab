import type { Cancel, Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../sqlite/open.ts';
import type { Cursor } from '../../web/paging.ts';
import { isDatabaseFault } from '../database-fault.ts';
import {
  type RedeliveryResult,
  RUN_PER_MINUTE_MAX,
  redeliveryBlock,
  redeliveryRefusals,
} from './redelivery.ts';
import { type RedeliveryRun, RedeliveryRunStore, type RunEnd, type RunStep } from './redelivery-run-store.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface RedeliveryRunsParts {
  readonly database: Database;
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
  readonly log: Log;
  /** One redelivery, within the limit for runs. Never rejects. */
  readonly redeliver: (listingId: string, eventId: string) => Promise<RedeliveryResult>;
}

/** Why a run does not start. */
export const runRefusals = {
  'no-webhook': redeliveryRefusals['no-webhook'],
  disabled: redeliveryRefusals.disabled,
  paused: redeliveryRefusals.paused,
  running: 'A redelivery of all undelivered events is in progress. Wait until it finishes, or stop it.',
  none: 'No event since that time is undelivered, so there is nothing to send again.',
} as const satisfies Record<string, string>;

export type RunRefusal = keyof typeof runRefusals;

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

  plan(listingId: string, since: number): RunPlan {
    const events = this.store.count(listingId, since, this.parts.clock.now());
    const code = this.refusal(listingId, events);
    return {
      events,
      minutes: Math.ceil(events / RUN_PER_MINUTE_MAX),
      refusal: code === null ? null : { code, sentence: runRefusals[code] },
    };
  }

  /** Called inside the store's `write`. */
  begin(listingId: string, since: number): RunStarted {
    const { events, refusal } = this.plan(listingId, since);
    if (refusal !== null) return { kind: 'refused', ...refusal };
    this.store.begin(listingId, since, events, this.parts.clock.now());
    this.stepAfter(listingId, 0);
    return { kind: 'started', run: this.find(listingId) as RedeliveryRun };
  }

  /** The listing's latest run, which may have ended. */
  find(listingId: string): RedeliveryRun | null {
    return this.store.find(listingId);
  }

  /** Called inside the store's `write`. A redelivery that is in progress is not cancelled. */
  stop(listingId: string): void {
    this.store.end(listingId, 'stopped', this.parts.clock.now());
  }

  private refusal(listingId: string, events: number): RunRefusal | null {
    if (this.find(listingId)?.state === 'running') return 'running';
    return redeliveryBlock(this.parts.webhooks.find(listingId)) ?? (events === 0 ? 'none' : null);
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
      const next = this.store.next(listingId);
      if (next === null) this.store.end(listingId, 'done', this.parts.clock.now());
      else this.follow(listingId, next, await this.parts.redeliver(listingId, next.id));
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
      this.parts.log.warn(
        { code: 'redelivery-run-paused', err: error },
        `a redelivery run is paused, because the database cannot be written: ${error.message}`,
      );
      this.stepAfter(listingId, LOOK_AGAIN_MS);
    }
  }

  private follow(listingId: string, event: Cursor, result: RedeliveryResult): void {
    if (this.isClosed) return;
    const next = nextStepAfter(result);
    if (next.kind === 'end') this.store.end(listingId, next.end, this.parts.clock.now());
    if (next.kind === 'next') this.store.advance(listingId, event, next.step);
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
