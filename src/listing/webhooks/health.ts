import type { Outcome } from '../../notify/webhook/outcome.ts';
import { FAILURES_TO_DISABLE } from './attempt-recorder.ts';
import type { Webhook } from './webhook-store.ts';

/** In the order in which they are checked (NS-30): reasons why nothing is sent come before results. */
export type HealthLabel = 'Disabled' | 'Paused' | 'No deliveries yet' | 'Failing' | 'Healthy';

/** Events of the last 24 hours (HL-07). An event that failed is also counted by what became of it. */
export interface DayFigures {
  readonly delivered: number;
  /** At least one attempt failed. */
  readonly failed: number;
  /** An attempt failed, and the event is sent again. */
  readonly retrying: number;
  /** After a 4xx, after the last retry, or because the webhook was paused or disabled. */
  readonly undelivered: number;
}

export interface Health {
  readonly label: HealthLabel;
  /** Attempts that failed in a row. */
  readonly failures: number;
  /** The number of failures in a row that disables the webhook. */
  readonly disablesAt: number;
  readonly disabledAt: number | null;
  /** When the webhook was last saved, which reset the failure count. */
  readonly savedAt: number;
  readonly day: DayFigures;
  readonly open: OpenFigures;
}

/** Events that are not delivered, however long ago the vote was cast. */
export interface OpenFigures {
  readonly retrying: number;
  /** Only a redelivery sends them again. */
  readonly undelivered: number;
}

/** The latest attempt with an outcome. */
export interface LatestAttempt {
  /** As the log shows it. */
  readonly url: string;
  readonly startedAt: number;
  readonly outcome: Outcome;
}

/** @param latest null if no attempt has ended at the webhook's current URL. */
export function healthOf(
  webhook: Webhook,
  latest: LatestAttempt | null,
  figures: Pick<Health, 'day' | 'open'>,
): Health {
  const { failures, disabledAt, savedAt } = webhook;
  const label = labelOf(webhook, latest);
  return { label, failures, disablesAt: FAILURES_TO_DISABLE, disabledAt, savedAt, ...figures };
}

function labelOf(webhook: Webhook, latest: LatestAttempt | null): HealthLabel {
  if (webhook.state === 'disabled') return 'Disabled';
  if (webhook.state === 'paused') return 'Paused';
  if (latest === null) return 'No deliveries yet';
  return webhook.failures > 0 || isUntriedSinceFailure(webhook, latest) ? 'Failing' : 'Healthy';
}

/** Saving resets the failure count, but a receiver whose last attempt failed is not shown as healthy. */
const isUntriedSinceFailure = ({ savedAt }: Webhook, { startedAt, outcome }: LatestAttempt): boolean =>
  startedAt < savedAt && outcome !== 'delivered';
