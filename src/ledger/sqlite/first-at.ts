/**
 * For each time, the first ID whose row has that time or a later one, or the ID after the last. Rows are written in the order of
 * their times, except while the clock is wrong, and none is ever deleted; so each is found by halving, without an index.
 *
 * @param times ascending. So are the IDs, whatever the clock did: each row is between two of them.
 */
export function firstAt(times: readonly number[], last: number, timeOf: (id: number) => number): number[] {
  let least = 1;
  return times.map((time) => {
    let [low, high] = [least, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (timeOf(middle) >= time) high = middle;
      else low = middle + 1;
    }
    least = low;
    return low;
  });
}
