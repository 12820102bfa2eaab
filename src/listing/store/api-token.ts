import { createHash } from 'node:crypto';
import type { Random } from '../../core/random.ts';

/** A prefix that scanners for leaked secrets can look for (NS-36). */
const PREFIX = 'vl_';
const BYTES = 32;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The most digits that 32 bytes need in base 62: 62^43 is more than 2^256. */
const LENGTH = 43;

export const newApiToken = (random: Random): string => PREFIX + base62(random.bytes(BYTES));

/** What is stored of a token. A fast, unsalted hash is enough, because 256 random bits cannot be guessed. */
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest();

function base62(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  while (text.length < LENGTH) {
    text = DIGITS.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
