import type { Clock } from '../core/clock.ts';

interface Reading<Key, Value> {
  readonly key: Key;
  readonly value: Promise<Value>;
  /** In monotonic time; null while it is being read. */
  endedAt: number | null;
}

/** A value that is read again after some time, so that many visits cost no more than one. */
export class Kept<Key, Value> {
  private last: Reading<Key, Value> | null = null;

  /** @param forMs since the end of a reading. */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly forMs: number,
    private readonly read: (key: Key) => Promise<Value>,
  ) {}

  /** @param key with another one than the last, the value is read at once. */
  get(key: Key): Promise<Value> {
    const { last } = this;
    const isFresh =
      last?.key === key && (last.endedAt === null || this.clock.monotonic() - last.endedAt < this.forMs);
    return isFresh ? last.value : this.readAgain(key);
  }

  private readAgain(key: Key): Promise<Value> {
    const reading: Reading<Key, Value> = { key, value: this.read(key), endedAt: null };
    this.last = reading;
    const ended = (): void => {
      reading.endedAt = this.clock.monotonic();
    };
    // What could not be read is not kept.
    const failed = (): void => {
      if (this.last === reading) this.last = null;
    };
    reading.value.then(ended, failed);
    return reading.value;
  }
}
