import { createPublicKey, type KeyObject } from 'node:crypto';

const V1_KEY_BITS = 2048;

/** [V1-1] A block is one RSA-2048 ciphertext. */
export const isV1Key = (key: KeyObject): boolean =>
  key.type === 'public' &&
  key.asymmetricKeyType === 'rsa' &&
  key.asymmetricKeyDetails?.modulusLength === V1_KEY_BITS;

export type PublicKeyReading =
  | { readonly kind: 'key'; readonly key: KeyObject }
  /** `reason` is the rest of a sentence that begins with where the text came from. */
  | { readonly kind: 'unusable'; readonly reason: string };

const unusable = (reason: string): PublicKeyReading => ({ kind: 'unusable', reason });

/** [V1-7] A listener's public key as people paste it: one line or several of bare base64, or PEM. */
export function readPublicKey(text: string): PublicKeyReading {
  if (/-BEGIN [A-Z ]*PRIVATE KEY-/.test(text)) {
    return unusable(
      'holds a private key, which belongs to the listener alone: use the content of public.key',
    );
  }
  const key = parse(text);
  if (key === null) return unusable('holds no public key: expected the one line of public.key, or PEM');
  return isV1Key(key)
    ? { kind: 'key', key }
    : unusable(`holds a key that is not RSA with ${V1_KEY_BITS} bits`);
}

function parse(text: string): KeyObject | null {
  try {
    if (text.includes('-BEGIN ')) return createPublicKey(text.trim());
    return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}
