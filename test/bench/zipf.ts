/**
 * Draws numbers from 0 to `count - 1` by Zipf's law, as players vote: number n is drawn in proportion to 1 / (n + 1).
 *
 * @param random a number from 0 (included) to 1 (excluded).
 */
export function zipf(count: number, random: () => number): () => number {
  const cumulated = new Float64Array(count);
  let total = 0;
  for (let number = 0; number < count; number++) {
    total += 1 / (number + 1);
    cumulated[number] = total;
  }
  return () => firstAbove(cumulated, random() * total);
}

/** The index of the first value that is greater; the values ascend. */
function firstAbove(values: Float64Array, limit: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] as number) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
