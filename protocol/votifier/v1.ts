import { constants, type KeyObject, privateDecrypt } from 'node:crypto';
import { type Refusal, refused } from './refusals.ts';
import type { WireVote } from './vote.ts';

/** [V1-1] A block is one RSA-2048 ciphertext. */
export const V1_BLOCK_BYTES = 256;
/** [V1-2] What fits under PKCS#1 v1.5: the block less eleven bytes of padding. */
export const V1_TEXT_MAX_BYTES = V1_BLOCK_BYTES - 11;

const OPCODE = 'VOTE';
const PADDING_LEAST_BYTES = 8;
/** Where the message of a bad block is taken to begin: any fixed place does. */
const BAD_START = 11;

/** [V1-2] The text that a v1 block carries. */
export const encodeV1Text = (vote: WireVote): string =>
  `${OPCODE}\n${vote.serviceName}\n${vote.username}\n${vote.address}\n${vote.timestamp}\n`;

/** [V1-3] At least five fields, the first exactly VOTE; more fields and more newlines are ignored. */
export function decodeV1Text(text: string): { kind: 'vote'; vote: WireVote } | Refusal {
  const [opcode, serviceName, username, address, timestamp] = text.split('\n');
  if (opcode !== OPCODE) return refused('v1-bad-block');
  if (
    serviceName === undefined ||
    username === undefined ||
    address === undefined ||
    timestamp === undefined
  ) {
    return refused('v1-fields', serviceName);
  }
  return { kind: 'vote', vote: { serviceName, username, address, timestamp } };
}

/**
 * [V1-5] The text of a block, or of nothing: a block that is no ciphertext of this key yields a random text, which
 * then fails as any text without VOTE does. Good and bad padding take one path and one time, because whoever can
 * tell them apart can decrypt foreign blocks (Bleichenbacher). Raw RSA and our own unpadding, because Node refuses
 * PKCS#1 v1.5 decryption on some OpenSSL versions (CVE-2023-46809), and node-forge needs 80 times as long.
 *
 * @param random `V1_BLOCK_BYTES` unguessable bytes, fresh for each block.
 */
export function decryptV1Block(key: KeyObject, block: Buffer, random: Buffer): string {
  const padded = rawDecrypt(key, block);
  return unpad(padded ?? random, random).toString('utf8');
}

/** A block that is not below the modulus makes OpenSSL throw; anybody can see that of it, key or no key. */
function rawDecrypt(key: KeyObject, block: Buffer): Buffer | null {
  try {
    return privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, block);
  } catch {
    return null;
  }
}

/** `00 02`, at least eight bytes that are not zero, `00`, message. No branch depends on the decrypted bytes. */
function unpad(padded: Buffer, random: Buffer): Buffer {
  let separator = 0;
  let searching = -1;
  for (let i = 2; i < V1_BLOCK_BYTES; i++) {
    const isSeparator = searching & maskIfZero(padded[i] ?? 0);
    separator |= i & isSeparator;
    searching &= ~isSeparator;
  }
  const longEnough = ~((separator - 2 - PADDING_LEAST_BYTES) >> 31);
  const good = maskIfZero(padded[0] ?? 1) & maskIfZero((padded[1] ?? 0) ^ 2) & ~searching & longEnough;
  const message = Buffer.alloc(V1_BLOCK_BYTES);
  for (let i = 0; i < V1_BLOCK_BYTES; i++) {
    message[i] = ((padded[i] ?? 0) & good) | ((random[i] ?? 0) & ~good);
  }
  return message.subarray(((separator + 1) & good) | (BAD_START & ~good));
}

/** All ones for zero, zero for 1 to 255. */
const maskIfZero = (byte: number): number => (byte - 1) >> 31;
