/**
 * For each time, the first ID whose row has that time or a later one, or the ID after the last. Rows are written in the order of
 * their times, except while the clock is wrong, and none is ever deleted; so each is found by halving, without an index.
 */
export const firstAt = (times: readonly number[], last: number, timeOf: (id: number) => number): number[] =>
  times.map((time) => {
    let [low, high] = [1, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (timeOf(middle) >= time) high = middle;
      else low = middle + 1;
    }
    return low;
  });
