export interface Closable {
  /** Ends every part, the last that was started first. */
  close(): Promise<void>;
}

/** Takes what ends a part, once that part has started. */
export type OnEnd = (end: () => unknown) => void;

/** Starts parts one after another. Where one cannot start, those that had are ended, and its error is thrown. */
export async function started<Parts extends object>(
  start: (onEnd: OnEnd) => Promise<Parts>,
): Promise<Parts & Closable> {
  const ends: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await start((end) => void ends.push(end))), close };
  } catch (error) {
    await close();
    throw error;
  }
}
