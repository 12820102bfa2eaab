import { timingSafeEqual } from 'node:crypto';

/** Whether two texts are equal. The time it takes does not reveal how much of them is equal. */
export function isSameText(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
