export interface Closable {
  /** Stops every part in reverse order of their start. If one fails, stops the others as well, and then rejects. */
  close(): Promise<void>;
}

/** Registers the function that stops a part, once the part has started. */
export type OnEnd = (end: () => unknown) => void;

/** Starts parts one after another. If one fails to start, stops those already started and throws its error. */
export async function started<Parts extends object>(
  start: (onEnd: OnEnd) => Promise<Parts>,
): Promise<Parts & Closable> {
  const ends: (() => unknown)[] = [];
  const close = (): Promise<void> => endAll(ends.splice(0).reverse());
  try {
    return { ...(await start((end) => void ends.push(end))), close };
  } catch (error) {
    await close().catch(() => {}); // the caller needs the error of the start
    throw error;
  }
}

/** Stops one after another. If one fails, the others are still stopped: the ledger is always closed. */
async function endAll([end, ...others]: readonly (() => unknown)[]): Promise<void> {
  if (end === undefined) return;
  try {
    await end();
  } finally {
    await endAll(others);
  }
}
