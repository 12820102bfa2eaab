import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** [V1-1] A block is one RSA-2048 ciphertext. */
const MODULUS_BITS = 2048;

export type KeyReading =
  | { readonly kind: 'key'; readonly key: KeyObject }
  /** `reason` ends a sentence that begins with where the key was read from. */
  | { readonly kind: 'unusable'; readonly reason: string };

const unusable = (reason: string): KeyReading => ({ kind: 'unusable', reason });

/** Whether v1 votes can be encrypted under it. */
export const isV1PublicKey = (key: KeyObject): boolean => key.type === 'public' && isV1Key(key);

const isV1Key = (key: KeyObject): boolean =>
  key.asymmetricKeyType === 'rsa' && key.asymmetricKeyDetails?.modulusLength === MODULUS_BITS;

/** [V1-7] A public key as people paste it: one line or several of bare base64 (SPKI), or PEM. */
export function readPublicKey(text: string): KeyReading {
  // createPublicKey would derive the public key from a private one, and hide that the wrong file was given.
  if (/-BEGIN [A-Z ]*PRIVATE KEY-/.test(text)) {
    return unusable(
      'holds a private key, which belongs to the listener alone: use the content of public.key',
    );
  }
  return read(
    text,
    'public',
    (der) => createPublicKey({ key: der, format: 'der', type: 'spki' }),
    createPublicKey,
  );
}

/** [V1-7] A private key: bare base64 (PKCS#8), or PEM. */
export const readPrivateKey = (text: string): KeyReading =>
  read(
    text,
    'private',
    (der) => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
    createPrivateKey,
  );

function read(
  text: string,
  half: 'public' | 'private',
  fromDer: (der: Buffer) => KeyObject,
  fromPem: (pem: string) => KeyObject,
): KeyReading {
  try {
    const key = text.includes('-BEGIN ') ? fromPem(text.trim()) : fromDer(Buffer.from(text, 'base64'));
    return isV1Key(key)
      ? { kind: 'key', key }
      : unusable(`holds a key that is not RSA with ${MODULUS_BITS} bits, as v1 needs`);
  } catch {
    // OpenSSL's own reason may quote the key, and does not help.
    return unusable(`holds no ${half} key: expected the one line of ${half}.key, or PEM`);
  }
}

/** [V1-7] The form that operators paste into a listing's page: one line of base64. */
export const publicKeyText = (publicKey: KeyObject): string =>
  publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

export const privateKeyText = (privateKey: KeyObject): string =>
  privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
