import type { DeliveryResult } from './delivery-result.ts';

/** How a receiver answered a test delivery with a wrong signature. */
export type ProbeResult =
  | {
      /** `refused` is correct; `accepted` means that anyone can forge votes. */
      readonly kind: 'refused' | 'accepted' | 'unclear';
      readonly sentence: string;
      readonly result: DeliveryResult;
    }
  | { readonly kind: 'not-applicable'; readonly code: 'no-secret' | 'channel'; readonly sentence: string };

export const notProbed = {
  'no-secret': 'There is no signing secret, so deliveries are not signed and there is nothing to test.',
  channel: 'A chat channel does not verify signatures. Keep its URL secret instead.',
} as const satisfies Record<Extract<ProbeResult, { kind: 'not-applicable' }>['code'], string>;

/** These 4xx are not about the signature: the path is wrong, or the receiver is busy. */
const UNRELATED_STATUSES: ReadonlySet<number> = new Set([404, 405, 408, 429]);

export function judgeProbe(result: DeliveryResult): ProbeResult {
  const { httpStatus, delivered } = result;
  if (delivered) {
    const sentence = `The receiver answered ${httpStatus} to a wrong signature. It does not verify signatures, so anyone who knows the URL can forge votes.`;
    return { kind: 'accepted', sentence, result };
  }
  if (httpStatus !== null && httpStatus >= 400 && httpStatus < 500 && !UNRELATED_STATUSES.has(httpStatus)) {
    const sentence = `The receiver refused the wrong signature with ${httpStatus}, as it should.`;
    return { kind: 'refused', sentence, result };
  }
  const answer = httpStatus === null ? result.error : `It answered ${httpStatus}.`;
  const sentence = `It is unknown whether the receiver verifies signatures. ${answer}`;
  return { kind: 'unclear', sentence, result };
}
