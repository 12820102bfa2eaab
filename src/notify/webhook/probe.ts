import type { DeliveryResult } from './delivery-result.ts';

/** How a receiver answered a test delivery with a wrong signature. */
export interface ProbeResult {
  /** `refused` is correct; `accepted` means that anyone can forge votes. */
  readonly kind: 'refused' | 'accepted' | 'unclear';
  readonly sentence: string;
}

/** These 4xx are not about the signature: the path is wrong, or the receiver is busy. */
const UNRELATED_STATUSES: ReadonlySet<number> = new Set([404, 405, 408, 429]);

export function judgeProbe({ httpStatus, delivered, error }: DeliveryResult): ProbeResult {
  if (delivered) {
    const sentence = `The receiver answered ${httpStatus} to a wrong signature. It does not verify signatures, so anyone who knows the URL can forge votes.`;
    return { kind: 'accepted', sentence };
  }
  if (httpStatus !== null && httpStatus >= 400 && httpStatus < 500 && !UNRELATED_STATUSES.has(httpStatus)) {
    const sentence = `The receiver refused the wrong signature with ${httpStatus}, as it should.`;
    return { kind: 'refused', sentence };
  }
  const answer = httpStatus === null ? error : `It answered ${httpStatus}.`;
  return { kind: 'unclear', sentence: `It is unknown whether the receiver verifies signatures. ${answer}` };
}
