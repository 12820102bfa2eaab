/**
 * Sends many votes, at most `concurrency` at once. The next vote is read only when there is room for it, and results
 * are not kept, so that a million votes need no more memory than a hundred.
 */
export async function sendMany<Vote, Result>(
  votes: Iterable<Vote>,
  concurrency: number,
  send: (vote: Vote) => Promise<Result>,
  onResult: (vote: Vote, result: Result) => void,
): Promise<void> {
  const queue = votes[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      onResult(next.value, await send(next.value));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
