import type { RewardReasons } from '../core/decide.ts';
import type { Reason } from '../core/reason.ts';

/** Why each reward was granted or not, as it is stored; null if the config had no reward. */
export const reasonsJson = (reasons: RewardReasons): string | null =>
  reasons.size === 0 ? null : JSON.stringify(Object.fromEntries(reasons));

export const readReasons = (stored: string | null): RewardReasons =>
  new Map(Object.entries(JSON.parse(stored ?? '{}') as Record<string, Reason>));
