import type { Database } from '../../platform/sqlite/open.ts';
import type { Cursor } from '../../web/paging.ts';
import { type RunRefusal, runRefusalOf } from '../webhooks/redelivery.ts';
import {
  type NewRun,
  type RedeliveryRun,
  RedeliveryRunStore,
  type RunEnd,
  type RunStep,
} from '../webhooks/redelivery-run-store.ts';
import { WebhookStore } from '../webhooks/webhook-store.ts';

export type BegunRun =
  | { readonly kind: 'started'; readonly run: RedeliveryRun }
  | { readonly kind: 'refused'; readonly code: RunRefusal };

/** Redeliveries of all undelivered events of a listing. */
export const runChanges = (database: Database) => {
  const runs = new RedeliveryRunStore(database);
  const webhooks = new WebhookStore(database);
  return {
    beginRun(run: NewRun): BegunRun {
      const { listingId, total } = run;
      const code = runRefusalOf(runs.find(listingId)?.state === 'running', webhooks.find(listingId), total);
      if (code !== null) return { kind: 'refused', code };
      runs.begin(run);
      return { kind: 'started', run: runs.find(listingId) as RedeliveryRun };
    },

    /** Records what a redelivery of the run did to its event, unless the run was stopped. */
    advanceRun(listingId: string, event: Cursor, step: RunStep): void {
      runs.advance(listingId, event, step);
    },

    endRun(listingId: string, end: RunEnd, now: number): void {
      runs.end(listingId, end, now);
    },
  };
};
