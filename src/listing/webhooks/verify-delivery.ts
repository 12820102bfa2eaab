import { VotePayload } from '../../../protocol/webhook/payload.ts';
import { signBody, verifySignature } from '../../../protocol/webhook/signature.ts';
import { readJson } from '../../core/json.ts';
import { type FindingCode, findings } from './delivery-findings.ts';
import { mistakesIn, readHeader } from './signature-mistakes.ts';

/** A delivery as somebody pasted it. */
export interface PastedDelivery {
  readonly body: Uint8Array;
  /** The value of `X-Webhook-Signature`; empty where there was none. */
  readonly header: string;
  readonly secret: string;
}

export interface Verification {
  /** Whether a receiver is to trust it [WH-7]. */
  readonly isValid: boolean;
  /** What the header would have to be for these bytes and this secret. */
  readonly expected: string;
  /** What matches and what does not, the decisive first. */
  readonly findings: readonly { readonly code: FindingCode; readonly sentence: string }[];
}

/** Says of a delivery what a receiver would, and where it does not match, which common mistake explains it. */
export function verifyDelivery(pasted: PastedDelivery): Verification {
  const { body, header, secret } = pasted;
  const isValid = verifySignature(header, body, secret);
  const signature: readonly FindingCode[] = isValid ? ['matches'] : whyNot(pasted);
  return {
    isValid,
    expected: signBody(body, secret),
    findings: [...signature, ...ofBody(body)].map((code) => ({ code, sentence: findings[code] })),
  };
}

function whyNot({ body, header, secret }: PastedDelivery): readonly FindingCode[] {
  const { digest, codes } = readHeader(header);
  if (digest === null || signBody(body, secret) === `sha256=${digest}`) return codes;
  const mistakes = mistakesIn(body, secret, digest);
  return [...codes, ...(mistakes.length > 0 ? mistakes : (['differs'] as const))];
}

function ofBody(body: Uint8Array): readonly FindingCode[] {
  const json = readJson(Buffer.from(body).toString());
  if (json === undefined) return ['body-not-json'];
  const payload = VotePayload.safeParse(json);
  if (!payload.success) return ['body-not-payload'];
  return payload.data.test ? ['body-test'] : [];
}
