/** Random numbers for tests: the same seed gives the same numbers on every machine (mulberry32). */
export class Seeded {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number from 0 up to, and not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, and not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** A text of `length` picks from `letters`; characters beyond the BMP stay whole. */
  text(length: number, letters: string): string {
    const list = Array.from(letters);
    return Array.from({ length }, () => this.pick(list)).join('');
  }
}

/** Applies a few mutations: changes a byte, removes, inserts or doubles bytes, cuts the end off, or appends another vector. */
export function mutated(random: Seeded, base: Buffer, others: readonly Buffer[]): Buffer {
  let bytes = Buffer.from(base);
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(bytes.length + 1);
    const to = Math.min(bytes.length, at + random.below(20));
    const pieces = random.pick([
      () => [bytes.subarray(0, at), random.bytes(1), bytes.subarray(at + 1)],
      () => [
        bytes.subarray(0, at),
        Buffer.from(random.pick(['{', '}', '"', '\\', '\r\n', '[', '\0', '\xff']), 'latin1'),
        bytes.subarray(at),
      ],
      () => [bytes.subarray(0, at), bytes.subarray(to)],
      () => [bytes.subarray(0, to), bytes.subarray(at)],
      () => [bytes.subarray(0, at)],
      () => [bytes, random.pick(others)],
    ])();
    bytes = Buffer.concat(pieces);
  }
  return bytes;
}

/**
 * The middle one of these numbers. A test that asserts it does not fail because a busy machine delayed a few of them, but
 * fails if something delays most of them.
 */
export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
