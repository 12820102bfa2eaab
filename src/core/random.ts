/** The source of random numbers. Tests pass a fixed or seeded source. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded), for draws and for jitter. */
  next(): number;
  /** Unguessable bytes, for challenges, tokens and passwords. */
  bytes(count: number): Buffer;
}
