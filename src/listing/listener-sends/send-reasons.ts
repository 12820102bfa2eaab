import { type SendFacts, type SendResult, sendSentences } from '../../sender/conversation.ts';

/** Why a vote to a listener ended as it did: a code of the sender, or one of the service’s own. */
export type SendReason = CurrentReason | RecordedReason;

type CurrentReason =
  | { readonly code: SendResult['code']; readonly facts: SendFacts }
  | { readonly code: OwnSendCode; readonly facts: null };

/** Recorded by a version that stored sentences. */
interface RecordedReason {
  readonly code: SendResult['code'] | OwnSendCode;
  readonly facts: { readonly sentence: string };
}

export type OwnSendCode = keyof typeof ownSentences;

const ownSentences = {
  'key-unusable': 'The stored public key can’t be used. Paste the listener’s public.key again.',
  'no-settings': 'Not sent: the listener was removed before this vote was sent.',
  'cut-off':
    'The service stopped while sending this vote. It may or may not count, and it is not sent again.',
} as const satisfies Record<string, string>;

export function sendReasonSentence(reason: SendReason): string {
  if (isRecorded(reason)) return reason.facts.sentence;
  const { code, facts } = reason;
  return facts === null ? ownSentences[code] : sendSentences[code](facts);
}

const isRecorded = (reason: SendReason): reason is RecordedReason =>
  reason.facts !== null && 'sentence' in reason.facts;
