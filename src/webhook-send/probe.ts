import type { DeliveryResult } from './delivery-result.ts';

/** What a receiver made of a test delivery whose signature is wrong. */
export type ProbeResult =
  | {
      /** `refused` is the right answer; `accepted` says that anybody can forge votes. */
      readonly kind: 'refused' | 'accepted' | 'unclear';
      readonly sentence: string;
      readonly result: DeliveryResult;
    }
  | { readonly kind: 'not-applicable'; readonly code: 'no-secret' | 'channel'; readonly sentence: string };

export const notProbed = {
  'no-secret': 'There is no signing secret, so nothing is signed and there is no signature to forge.',
  channel: 'A chat channel verifies no signatures; its URL is what has to be kept secret.',
} as const satisfies Record<Extract<ProbeResult, { kind: 'not-applicable' }>['code'], string>;

/** These 4xx say nothing of the signature: the path is wrong, or the receiver is busy. */
const BESIDE_THE_POINT: ReadonlySet<number> = new Set([404, 405, 408, 429]);

export function judgeProbe(result: DeliveryResult): ProbeResult {
  const { httpStatus, delivered } = result;
  if (delivered) {
    const sentence = `The receiver answered ${httpStatus} to a wrong signature: it does not verify, and anybody who knows the URL can forge votes.`;
    return { kind: 'accepted', sentence, result };
  }
  if (httpStatus !== null && httpStatus >= 400 && httpStatus < 500 && !BESIDE_THE_POINT.has(httpStatus)) {
    const sentence = `The receiver refused the wrong signature with ${httpStatus}, as it should.`;
    return { kind: 'refused', sentence, result };
  }
  const what = httpStatus === null ? result.error : `It answered ${httpStatus}.`;
  const sentence = `Whether the receiver verifies cannot be told. ${what}`;
  return { kind: 'unclear', sentence, result };
}
