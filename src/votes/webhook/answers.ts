import { type WebhookRefusalCode, webhookRefusals } from '../../../protocol/webhook/refusals.ts';

/** The answers to deliveries that are accepted. */
const successes = {
  recorded: { status: 200, hears: 'recorded' },
  'same-vote': { status: 200, hears: 'recorded before; counted once' },
  test: { status: 200, hears: 'a test with a valid signature: nothing is recorded and nothing is paid' },
} as const;

export type AnswerCode = keyof typeof successes | WebhookRefusalCode;

export const isRefusal = (code: AnswerCode): code is WebhookRefusalCode => code in webhookRefusals;

export const answerOf = (code: AnswerCode): { readonly status: number; readonly hears: string } =>
  isRefusal(code) ? webhookRefusals[code] : successes[code];
