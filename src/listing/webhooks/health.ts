import { FAILURES_TO_DISABLE } from './settling.ts';
import type { Webhook } from './webhook-store.ts';

/** In the order in which they are judged (NS-30): what stops deliveries before what they came to. */
export type HealthLabel = 'Disabled' | 'Paused' | 'No deliveries yet' | 'Failing' | 'Healthy';

/** Events of the last 24 hours; an event is in one of them at most. */
export interface DayFigures {
  readonly delivered: number;
  /** Refused for good by the receiver: a 4xx. */
  readonly failed: number;
  /** Failed at least once, and will be sent again. */
  readonly retrying: number;
  /** The retries are spent, or the webhook was paused or disabled before a 2xx came. */
  readonly undelivered: number;
}

export interface Health {
  readonly label: HealthLabel;
  /** Attempts that failed in a row. */
  readonly failures: number;
  /** How many in a row disable the webhook. */
  readonly disablesAt: number;
  readonly disabledAt: number | null;
  readonly day: DayFigures;
}

/** @param hasDeliveries whether an attempt of an event at this URL has ended, whichever way. */
export function healthOf(webhook: Webhook, hasDeliveries: boolean, day: DayFigures): Health {
  const { failures, disabledAt } = webhook;
  return {
    label: labelOf(webhook, hasDeliveries),
    failures,
    disablesAt: FAILURES_TO_DISABLE,
    disabledAt,
    day,
  };
}

function labelOf({ state, failures }: Webhook, hasDeliveries: boolean): HealthLabel {
  if (state === 'disabled') return 'Disabled';
  if (state === 'paused') return 'Paused';
  if (!hasDeliveries) return 'No deliveries yet';
  return failures > 0 ? 'Failing' : 'Healthy';
}
