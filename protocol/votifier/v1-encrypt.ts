import { Buffer } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import forge from 'node-forge';
import { encodeV1Text, V1_TEXT_MAX_BYTES } from './v1.ts';
import type { WireVote } from './vote.ts';

/**
 * [V1-4] A v1 block for a vote. node-forge encrypts it, so that encryption and the listener's decryption are two
 * implementations that check each other. Only senders load node-forge.
 *
 * @returns null if the vote's text is longer than `V1_TEXT_MAX_BYTES` or a field holds a newline.
 */
export function encryptV1Block(publicKey: KeyObject, vote: WireVote): Buffer | null {
  const fields = [vote.serviceName, vote.username, vote.address, vote.timestamp];
  const text = encodeV1Text(vote);
  if (fields.some((field) => field.includes('\n')) || Buffer.byteLength(text) > V1_TEXT_MAX_BYTES)
    return null;
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const block = forge.pki
    .publicKeyFromPem(pem)
    .encrypt(Buffer.from(text).toString('latin1'), 'RSAES-PKCS1-V1_5');
  return Buffer.from(block, 'latin1');
}
