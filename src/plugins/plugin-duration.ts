import { DAY_MS, HOUR_MS } from '../core/duration.ts';

const UNITS: Readonly<Record<string, number>> = {
  ...{ ms: 1, s: 1000, m: 60_000, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, mo: 30 * DAY_MS },
};

const PART = /(\d+(?:\.\d+)?)\s*(ms|mo|[smhdw])/gi;

/**
 * Milliseconds of a duration as VotingPlugin writes it: `24h`, `1d 12h`, `30m`; a number alone is in `unitMs`. A month is
 * 30 days. @returns null if it is something else, or nothing.
 */
export function parsePluginDuration(text: string, unitMs: number): number | null {
  const trimmed = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * unitMs);
  const parts = [...trimmed.matchAll(PART)];
  const rest = trimmed.replaceAll(PART, '').trim();
  if (parts.length === 0 || rest !== '') return null;
  const total = parts.reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit.toLowerCase()] ?? 0),
    0,
  );
  return Math.round(total);
}

const WRITTEN = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** A duration as our config writes it, in the largest unit that needs no fraction; days from two on. */
export function durationWritten(ms: number): string {
  const found = WRITTEN.find(([unit, each]) => ms % each === 0 && ms >= (unit === 'd' ? 2 * each : each));
  const [unit, each] = found ?? ['ms', 1];
  return `${ms / each}${unit}`;
}
