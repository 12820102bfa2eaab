import type { Outcome } from '../../webhook-send/outcome.ts';
import { FAILURES_TO_DISABLE } from './settling.ts';
import type { Webhook } from './webhook-store.ts';

/** In the order in which they are judged (NS-30): what stops deliveries before what they came to. */
export type HealthLabel = 'Disabled' | 'Paused' | 'No deliveries yet' | 'Failing' | 'Healthy';

/** Events of the last 24 hours; an event is in one of them at most. */
export interface DayFigures {
  readonly delivered: number;
  /** Shown as "Rejected": the receiver answered 4xx. */
  readonly failed: number;
  /** Shown as "Will retry": an attempt failed, and the event is sent again. */
  readonly retrying: number;
  /** Shown as "Gave up": the retries are spent, or the webhook was paused or disabled before a 2xx came. */
  readonly undelivered: number;
}

export interface Health {
  readonly label: HealthLabel;
  /** Attempts that failed in a row. */
  readonly failures: number;
  /** How many in a row disable the webhook. */
  readonly disablesAt: number;
  readonly disabledAt: number | null;
  /** When the webhook was last saved: the count of failures began then. */
  readonly savedAt: number;
  readonly day: DayFigures;
  readonly open: OpenFigures;
}

/** What is not delivered now, however long ago the vote was cast. */
export interface OpenFigures {
  readonly retrying: number;
  /** Rejected or given up: only a redelivery sends them again. */
  readonly undelivered: number;
}

/** The latest attempt of an event that was answered, or failed. */
export interface LatestAttempt {
  /** As the log shows it. */
  readonly url: string;
  readonly startedAt: number;
  readonly outcome: Outcome;
}

/** @param latest null where no attempt has ended at the webhook's current URL. */
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
  if (latest === null || isUntriedSinceSaved(webhook, latest)) return 'No deliveries yet';
  return webhook.failures > 0 ? 'Failing' : 'Healthy';
}

/** Saving clears the count of failures and repairs no receiver: one that failed last is not shown as healthy. */
const isUntriedSinceSaved = ({ savedAt }: Webhook, { startedAt, outcome }: LatestAttempt): boolean =>
  startedAt < savedAt && outcome !== 'delivered';
