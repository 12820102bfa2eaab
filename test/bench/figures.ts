/** The value below which this share of the numbers lies; 0 if there are none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Of an even count, the mean of the middle two; 0 if there are none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2)];
  return ((sorted[low] ?? 0) + (sorted[high] ?? 0)) / 2;
}

/**
 * The median of the ratios of two measurements that were taken in pairs. Other programs on the machine then slow down
 * both halves of a pair, which the ratio of two medians would not cancel.
 */
export const pairedRatio = (values: readonly number[], bases: readonly number[]): number =>
  median(values.map((value, index) => value / (bases[index] ?? Number.NaN)));

export const maximum = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), 0);

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
