import { durationText } from '../../core/duration.ts';
import { rounded, shortCount } from './number.ts';

/** A vertical axis. Its ticks are the same distance apart. */
export interface Scale {
  /** The labels of the ticks, from the bottom up. */
  readonly ticks: readonly string[];
  /** The height of a value in percent of the axis. */
  heightOf(value: number): number;
}

const TICKS_MOST = 4;

/** From 0 to at least the largest value, by round numbers: `0 1 2 3`, `0 20 40 60`. */
export function countScale(most: number): Scale {
  const steps = Array.from({ length: 15 }, (_, power) =>
    [1, 2, 5].map((digit) => digit * 10 ** power),
  ).flat();
  const step = steps.find((each) => most / each <= TICKS_MOST) ?? most;
  const ticks = Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
  const top = ticks.at(-1) ?? 1;
  return { ticks: ticks.map(shortCount), heightOf: (value) => rounded((value / top) * 100) };
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DURATION_TICKS = [
  ...[1, 10, 100, SECOND_MS, 10 * SECOND_MS],
  ...[MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 10 * HOUR_MS, 100 * HOUR_MS, 1_000 * HOUR_MS],
];

/**
 * For milliseconds, of which some are a thousand times as long as others: from tick to tick, durations grow by a factor of
 * 6 or 10, and within these evenly by factor.
 */
export function durationScale(least: number, most: number): Scale {
  const last = DURATION_TICKS.length - 1;
  const below = DURATION_TICKS.findLastIndex((tick) => tick <= least);
  const from = Math.min(last - 1, Math.max(0, below));
  const above = DURATION_TICKS.findIndex((tick) => tick >= most);
  const ticks = DURATION_TICKS.slice(from, Math.max(from + 1, above === -1 ? last : above) + 1);
  const heightOf = (value: number): number => {
    const below = Math.min(
      ticks.length - 2,
      Math.max(
        0,
        ticks.findLastIndex((tick) => tick <= value),
      ),
    );
    const [low = 1, high = 10] = [ticks[below], ticks[below + 1]];
    const part = Math.log(Math.max(value, low) / low) / Math.log(high / low);
    return rounded(Math.min(100, ((below + part) / (ticks.length - 1)) * 100));
  };
  return { ticks: ticks.map(tickText), heightOf };
}

const tickText = (ms: number): string => (ms < HOUR_MS ? durationText(ms) : `${ms / HOUR_MS} h`);
