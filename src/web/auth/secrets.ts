import { createHash } from 'node:crypto';
import type { Random } from '../../core/random.ts';

const SECRET_BYTES = 32;

/** For a session's cookie or an invitation's code. It has 256 bits, so storing a plain hash is safe. */
export const newSecret = (random: Random): string => random.bytes(SECRET_BYTES).toString('base64url');

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** In groups and without letters that look alike, because people copy the password by hand from a terminal. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const PASSWORD_GROUPS = 4;
const GROUP_LETTERS = 4;

/** 80 bits. The alphabet has 32 letters, so each letter is equally likely. */
export function newPassword(random: Random): string {
  const letters = Array.from(
    random.bytes(PASSWORD_GROUPS * GROUP_LETTERS),
    (byte) => LETTERS[byte % 32],
  ).join('');
  return letters.match(/.{4}/g)?.join('-') ?? letters;
}
