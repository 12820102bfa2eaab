export interface Closable {
  /** Ends every part, the last that was started first. Rejects where one cannot be ended, when the others are. */
  close(): Promise<void>;
}

/** Takes what ends a part, once that part has started. */
export type OnEnd = (end: () => unknown) => void;

/** Starts parts one after another. Where one cannot start, those that had are ended, and its error is thrown. */
export async function started<Parts extends object>(
  start: (onEnd: OnEnd) => Promise<Parts>,
): Promise<Parts & Closable> {
  const ends: (() => unknown)[] = [];
  const close = (): Promise<void> => endAll(ends.splice(0).reverse());
  try {
    return { ...(await start((end) => void ends.push(end))), close };
  } catch (error) {
    await close().catch(() => {}); // why it did not start is what has to be told
    throw error;
  }
}

/** One after another. One that fails keeps no other from being ended: a ledger is closed whatever came before. */
async function endAll([end, ...others]: readonly (() => unknown)[]): Promise<void> {
  if (end === undefined) return;
  try {
    await end();
  } finally {
    await endAll(others);
  }
}
