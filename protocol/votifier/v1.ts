import { constants, type KeyObject, privateDecrypt } from 'node:crypto';
import { type Refusal, refused } from './refusals.ts';
import type { WireVote } from './vote.ts';

/** [V1-1] A block is one RSA-2048 ciphertext. */
export const V1_BLOCK_BYTES = 256;
/** [V1-2] What fits under PKCS#1 v1.5: the block without eleven bytes of padding. */
export const V1_TEXT_MAX_BYTES = V1_BLOCK_BYTES - 11;

const OPCODE = 'VOTE';
const OPCODE_BYTES = Buffer.from(OPCODE);
const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const DEL = 0x7f;
/** CR alone does not end a line, but it shows that the text is a vote, and what is wrong with it. */
const VOTE_TEXT = /^VOTE(?:[\r\n]|$)/;
const PADDING_LEAST_BYTES = 8;
/** Of two million well-padded blocks of random bytes, one looks like text of this length or more. */
const READABLE_LEAST_BYTES = 24;

/** [V1-2] The text that a v1 block carries. */
export const encodeV1Text = (vote: WireVote): string =>
  `${OPCODE}\n${vote.serviceName}\n${vote.username}\n${vote.address}\n${vote.timestamp}\n`;

/**
 * [V1-3] At least five lines, the first exactly VOTE, ended by LF or CRLF; more lines are ignored.
 *
 * @param text what `decryptV1Block` returned.
 */
export function decodeV1Text(text: string): { kind: 'vote'; vote: WireVote } | Refusal {
  if (text === '') return refused('v1-bad-block');
  if (!VOTE_TEXT.test(text)) {
    return { ...refused('v1-not-a-vote'), firstLine: text.split(/[\r\n]/, 1)[0] ?? '' };
  }
  const [, serviceName, username, address, timestamp] = text.split(/\r?\n/);
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
 * [V1-5] The text of a block that holds a vote's opcode and the LF or CR after it, or else readable lines; otherwise no
 * text at all. An attacker who can distinguish good padding from bad can decrypt other blocks (Bleichenbacher). So the
 * steps are the same for all bytes until both padding and text are found, and only then is text decoded: the time
 * depends on the text only for blocks that their sender encrypted as text. For raw RSA we rely on OpenSSL's constant
 * time. Raw RSA and our own unpadding are used because Node refuses PKCS#1 v1.5 decryption on some OpenSSL versions
 * (CVE-2023-46809), and node-forge takes 80 times as long.
 *
 * Rejected: decoding random bytes in place of a bad block. That takes 3 µs longer than decoding a short vote.
 */
export function decryptV1Block(key: KeyObject, block: Buffer): string {
  // Two newlines are appended, because the opcode's line may end with the block and every position is read alike.
  const padded = Buffer.alloc(V1_BLOCK_BYTES + OPCODE.length + 1, '\n');
  rawDecrypt(key, block)?.copy(padded);
  const start = textStart(padded);
  return start === 0 ? '' : padded.toString('utf8', start, V1_BLOCK_BYTES);
}

/** OpenSSL throws for a block that is not below the modulus. That reveals nothing: it can be seen without the private key. */
function rawDecrypt(key: KeyObject, block: Buffer): Buffer | null {
  try {
    return privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, block);
  } catch {
    return null;
  }
}

/**
 * The offset of the text in `00 02`, at least eight bytes that are not zero, `00`, and then `VOTE\n` or readable lines;
 * 0 for anything else. No branch and no offset that is read depends on the decrypted bytes.
 *
 * Readable are at least 24 bytes with a line break, without other control characters, of which at most a quarter are
 * not ASCII, in whatever encoding.
 */
function textStart(padded: Buffer): number {
  let start = 0;
  let searching = -1;
  let isVote = 0;
  let hasControl = 0;
  let hasLineBreak = 0;
  let nonAscii = 0;
  for (let i = 2; i < V1_BLOCK_BYTES; i++) {
    const byte = padded[i] ?? 0;
    const isLineBreak = maskIfZero(byte ^ LF) | maskIfZero(byte ^ CR);
    hasLineBreak |= ~searching & isLineBreak;
    hasControl |= ~searching & isControl(byte) & ~isLineBreak;
    nonAscii += ~searching & (byte >> 7);
    const isSeparator = searching & maskIfZero(byte);
    const isLongEnough = ~((i - 2 - PADDING_LEAST_BYTES) >> 31);
    start |= (i + 1) & isSeparator & isLongEnough;
    isVote |= isSeparator & opcodeAt(padded, i + 1);
    searching &= ~isSeparator;
  }
  const length = V1_BLOCK_BYTES - start;
  const isLong = ~((length - READABLE_LEAST_BYTES) >> 31);
  const isMostlyAscii = ~((length - 4 * nonAscii) >> 31);
  const isReadable = isLong & isMostlyAscii & hasLineBreak & ~hasControl;
  return start & (isVote | isReadable) & maskIfZero(padded[0] ?? 1) & maskIfZero((padded[1] ?? 0) ^ 2);
}

/** All ones for a control character other than a tab, which text may hold. */
const isControl = (byte: number): number =>
  (((byte - 0x20) >> 31) & ~maskIfZero(byte ^ TAB)) | maskIfZero(byte ^ DEL);

/** All ones if the opcode and a line end are at this offset, else zero. */
function opcodeAt(padded: Buffer, place: number): number {
  let difference = 0;
  for (let i = 0; i < OPCODE_BYTES.length; i++) {
    difference |= (padded[place + i] ?? 0) ^ (OPCODE_BYTES[i] ?? 0);
  }
  const lineEnd = padded[place + OPCODE_BYTES.length] ?? 0;
  return maskIfZero(difference) & (maskIfZero(lineEnd ^ LF) | maskIfZero(lineEnd ^ CR));
}

/** All ones for zero, zero for 1 to 255. */
const maskIfZero = (byte: number): number => (byte - 1) >> 31;
