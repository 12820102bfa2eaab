import { createHash } from 'node:crypto';
import type { Dice } from '../../core/dice.ts';

const SECRET_BYTES = 32;

/** What only its holder has: a session's cookie, an invitation's code. 256 bits, so a plain hash is enough to store. */
export const newSecret = (dice: Dice): string => dice.bytes(SECRET_BYTES).toString('base64url');

export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Without what looks alike, in groups, because it is read from a terminal and typed. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const PASSWORD_GROUPS = 4;
const GROUP_LETTERS = 4;

/** 80 bits; the alphabet has 32 letters, so each byte gives one without favour. */
export function newPassword(dice: Dice): string {
  const letters = Array.from(dice.bytes(PASSWORD_GROUPS * GROUP_LETTERS), (byte) => LETTERS[byte % 32]).join(
    '',
  );
  return letters.match(/.{4}/g)?.join('-') ?? letters;
}
