import { createHmac, timingSafeEqual } from 'node:crypto';

/** [WH-6] The header with the signature, sent if a secret is configured. */
export const SIGNATURE_HEADER = 'X-Webhook-Signature';

const SCHEME = 'sha256=';

/** [WH-6] `sha256=` and the lower-case hex HMAC-SHA256 of the body's bytes under the UTF-8 bytes of the secret. */
export const signBody = (body: Uint8Array, secret: string): string =>
  SCHEME + createHmac('sha256', secret).update(body).digest('hex');

/**
 * [WH-7] Whether a header's value is exactly the signature of these bytes. Both are hashed with an HMAC under the same
 * secret first, so that values of any length are compared in constant time.
 */
export function verifySignature(header: string | undefined, body: Uint8Array, secret: string): boolean {
  const blind = (value: string): Buffer => createHmac('sha256', secret).update(value).digest();
  return timingSafeEqual(blind(header ?? ''), blind(signBody(body, secret)));
}
