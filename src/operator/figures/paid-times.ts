import { DAY_MS, HOUR_MS } from '../../core/duration.ts';
import type { LedgerReader } from '../../ledger/ledger.ts';

/** How long things took. */
export interface Distribution {
  readonly grants: number;
  /** null without grants. */
  readonly medianMs: number | null;
  readonly p99Ms: number | null;
  /** How many took no longer than each of these times; the last one has no limit. */
  readonly within: readonly { readonly ms: number | null; readonly grants: number }[];
}

/**
 * From the time at which a grant could be paid to its delivery. What stopped it meanwhile is included: a game server that
 * was away, a pause, or a held grant until the operator decided.
 */
export interface PaidTimesValue {
  /** Made in this time: the start of the period, or later if there are more grants than are looked at. */
  readonly since: number;
  readonly lookedAt: number;
  /** Rewards with `"when": "always"`: payable from their creation or the end of their delay on. */
  readonly atOnce: Distribution;
  /**
   * Rewards that wait for their player. When the player came is not stored, so the time in which they were away is included.
   */
  readonly withPlayer: Distribution;
  /**
   * Delivered, but in neither: the operator said that they were paid, or the game server was asked whether to pay them, and
   * when its answer changed is not stored.
   */
  readonly leftOut: number;
}

/** So many of the latest grants are looked at. */
const LOOK_AT = 10_000;
/** Reading so many takes some ms. */
const AT_ONCE = 5_000;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const LIMITS_MS = [SECOND_MS, 5 * SECOND_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, DAY_MS, 7 * DAY_MS];

export async function paidTimes(
  ledger: Pick<LedgerReader, 'paidTimes' | 'firstGrants' | 'grants'>,
  since: number,
  lookAt: number = LOOK_AT,
): Promise<PaidTimesValue> {
  const [first = 1, next = 1] = await ledger.firstGrants([since, Number.MAX_SAFE_INTEGER]);
  const from = Math.max(first, next - lookAt);
  const atOnce: number[] = [];
  const withPlayer: number[] = [];
  let leftOut = 0;
  for (let part = from; part < next; part += AT_ONCE) {
    const found = await ledger.paidTimes({ from: part, to: Math.min(part + AT_ONCE, next) - 1 });
    atOnce.push(...found.atOnce);
    withPlayer.push(...found.withPlayer);
    leftOut += found.leftOut;
  }
  const oldest = from > first ? (await ledger.grants({ id: from, limit: 1 }))[0] : undefined;
  return {
    since: oldest?.createdAt ?? since,
    lookedAt: next - from,
    atOnce: distribution(atOnce),
    withPlayer: distribution(withPlayer),
    leftOut,
  };
}

export function distribution(tookMs: readonly number[]): Distribution {
  const sorted = Float64Array.from(tookMs).sort();
  const within = LIMITS_MS.map((ms) => ({ ms, grants: countUpTo(sorted, ms) }));
  return {
    grants: sorted.length,
    medianMs: ranked(sorted, 0.5),
    p99Ms: ranked(sorted, 0.99),
    within: [...within, { ms: null, grants: sorted.length }],
  };
}

/** The nearest rank: the least value that is not exceeded by this share of all. */
const ranked = (sorted: Float64Array, share: number): number | null =>
  sorted[Math.ceil(share * sorted.length) - 1] ?? null;

function countUpTo(sorted: Float64Array, limit: number): number {
  const more = sorted.findIndex((each) => each > limit);
  return more === -1 ? sorted.length : more;
}
