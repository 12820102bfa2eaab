/**
 * Sends many, at most `concurrency` at once. The next one is asked for only when there is room for it, and each
 * result is handed on and forgotten, so a million need no more memory than a hundred.
 */
export async function sendMany<Vote, Result>(
  votes: Iterable<Vote>,
  concurrency: number,
  send: (vote: Vote) => Promise<Result>,
  settled: (vote: Vote, result: Result) => void,
): Promise<void> {
  const queue = votes[Symbol.iterator]();
  const lane = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      settled(next.value, await send(next.value));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}
