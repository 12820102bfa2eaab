import { VotePayload } from '../../../protocol/webhook/payload.ts';
import { signBody, verifySignature } from '../../../protocol/webhook/signature.ts';
import { readJson } from '../../core/json.ts';
import { type FindingCode, findings } from './delivery-findings.ts';
import { mistakesIn, readHeader } from './signature-mistakes.ts';

/** A delivery that was pasted into a form or given to a command. */
export interface PastedDelivery {
  readonly body: Uint8Array;
  /** The value of `X-Webhook-Signature`; empty if there was none. */
  readonly header: string;
  readonly secret: string;
}

export interface Verification {
  /** Whether a receiver should trust the delivery [WH-7]. */
  readonly isValid: boolean;
  /** The correct header for these bytes and this secret. */
  readonly expected: string;
  /** What matches and what does not, most important first. */
  readonly findings: readonly { readonly code: FindingCode; readonly sentence: string }[];
}

/** Verifies a delivery as a receiver does. If the signature does not match, finds the common mistake that explains it. */
export function verifyDelivery(pasted: PastedDelivery): Verification {
  const { body, header, secret } = pasted;
  const isValid = verifySignature(header, body, secret);
  const signature: readonly FindingCode[] = isValid ? ['matches'] : signatureFindings(pasted);
  return {
    isValid,
    expected: signBody(body, secret),
    findings: [...signature, ...bodyFindings(body)].map((code) => ({ code, sentence: findings[code] })),
  };
}

function signatureFindings({ body, header, secret }: PastedDelivery): readonly FindingCode[] {
  const { digest, codes } = readHeader(header);
  if (digest === null || signBody(body, secret) === `sha256=${digest}`) return codes;
  const mistakes = mistakesIn(body, secret, digest);
  return [...codes, ...(mistakes.length > 0 ? mistakes : (['differs'] as const))];
}

function bodyFindings(body: Uint8Array): readonly FindingCode[] {
  const json = readJson(Buffer.from(body).toString());
  if (json === undefined) return ['body-not-json'];
  const payload = VotePayload.safeParse(json);
  if (!payload.success) return ['body-not-payload'];
  return payload.data.test ? ['body-test'] : [];
}
