/**
 * Version 1: the RSA keys and their text, the text of a vote, and the block that carries it, both encrypted and decrypted. Of a
 * block that is not a vote nothing can be learned from how long this takes.
 */
import {
  constants,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto';
import { type Refusal, refused } from './refusals.ts';
import type { WireVote } from './wire.ts';

/** [V1-1] A block is one RSA-2048 ciphertext. */
export const V1_BLOCK_BYTES = 256;
const MODULUS_BITS = 8 * V1_BLOCK_BYTES;

export type KeyReading =
  | { readonly kind: 'key'; readonly key: KeyObject }
  /** `reason` ends a sentence that begins with where the key was read from. */
  | { readonly kind: 'unusable'; readonly reason: string };

/** [V1-7] A public key as people paste it: one line or several of bare base64 (SPKI), or PEM. */
export function readPublicKey(text: string): KeyReading {
  // createPublicKey would derive the public key from a private one, and hide that the wrong file was given.
  if (/-BEGIN [A-Z ]*PRIVATE KEY-/.test(text)) {
    const reason = 'holds a private key, which belongs to the listener alone: use the content of public.key';
    return { kind: 'unusable', reason };
  }
  const ofDer = (key: Buffer) => createPublicKey({ key, format: 'der', type: 'spki' });
  return readKey(text, 'public', ofDer, createPublicKey);
}

/** [V1-7] A private key: bare base64 (PKCS#8), or PEM. */
export function readPrivateKey(text: string): KeyReading {
  const ofDer = (key: Buffer) => createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  return readKey(text, 'private', ofDer, createPrivateKey);
}

function readKey(
  text: string,
  half: 'public' | 'private',
  ofDer: (der: Buffer) => KeyObject,
  ofPem: (pem: string) => KeyObject,
): KeyReading {
  try {
    const key = text.includes('-BEGIN ') ? ofPem(text.trim()) : ofDer(Buffer.from(text, 'base64'));
    if (isV1Key(key)) return { kind: 'key', key };
    return { kind: 'unusable', reason: `holds a key that is not RSA with ${MODULUS_BITS} bits, as v1 needs` };
  } catch {
    // OpenSSL's own reason may quote the key, and does not help.
    const reason = `holds no ${half} key: expected the one line of ${half}.key, or PEM`;
    return { kind: 'unusable', reason };
  }
}

const isV1Key = (key: KeyObject): boolean =>
  key.asymmetricKeyType === 'rsa' && key.asymmetricKeyDetails?.modulusLength === MODULUS_BITS;

/** Whether v1 votes can be encrypted under it. */
export const isV1PublicKey = (key: KeyObject): boolean => key.type === 'public' && isV1Key(key);

/** [V1-7] The form that operators paste into a listing's page: one line of base64. */
export const publicKeyText = (publicKey: KeyObject): string =>
  publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

export const privateKeyText = (privateKey: KeyObject): string =>
  privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');

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
  const [, serviceName, username = '', address = '', timestamp] = text.split(/\r?\n/);
  if (serviceName === undefined || timestamp === undefined) return refused('v1-fields', serviceName);
  return { kind: 'vote', vote: { serviceName, username, address, timestamp } };
}

/**
 * [V1-4] A v1 block for a vote, in 0.13 ms. Its padding is random, so no two blocks are the same.
 *
 * @returns null if the vote's text is longer than `V1_TEXT_MAX_BYTES` or a field holds a newline.
 */
export function encryptV1Block(publicKey: KeyObject, vote: WireVote): Buffer | null {
  const text = encodeV1Text(vote);
  // Five lines and what follows the last: a newline in a field would add one.
  if (text.split('\n').length !== 6 || Buffer.byteLength(text) > V1_TEXT_MAX_BYTES) return null;
  return publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(text));
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
