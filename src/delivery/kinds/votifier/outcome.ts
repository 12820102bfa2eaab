import type { NeverSentCode, UnknownCode } from '../../../core/game-server-codes.ts';
import type { Outcome } from '../../../core/outcome.ts';
import type { FailureCode, SendResult } from '../../../sender/result.ts';
import type { VotifierNotSentReason } from './codes.ts';

/** How a forward ended, or that the listener answered with an error: then the vote certainly does not count there. */
export type Forwarded =
  | Exclude<Outcome, { kind: 'not-sent' }>
  | { readonly kind: 'not-sent'; readonly reason: VotifierNotSentReason }
  | { readonly kind: 'error-answer'; readonly reason: VotifierNotSentReason; readonly said: string };

/** Rule 5: what the end of an exchange means. */
export function forwardedBy(result: SendResult): Forwarded {
  if (result.kind === 'accepted') return { kind: 'delivered', reply: 'ok' };
  if (result.kind === 'sent') return sentBy(result);
  return result.reached === 'unknown' ? unknownBy(result) : notCounted(result);
}

/** [V1-6] Version 1 has no answer. A listener closes the connection when it has read the vote. */
function sentBy({ over }: SendResult): Forwarded {
  if (over === 'closed') return { kind: 'delivered', reply: '' };
  return { kind: 'unknown', reason: UNCLOSED[over ?? 'reset'] };
}

const UNCLOSED = {
  reset: 'votifier.reset',
  'time-limit': 'votifier.not-closed',
  stopped: 'shut-down',
} as const satisfies Record<string, UnknownCode>;

type Failed = Extract<SendResult, { kind: 'failed' }>;

function unknownBy({ code, over }: Failed): Forwarded {
  if (over === 'stopped') return { kind: 'unknown', reason: 'shut-down' };
  if (code === 'unreadable-reply') return { kind: 'unknown', reason: 'votifier.bad-answer' };
  return { kind: 'unknown', reason: code === 'no-answer' ? 'timeout' : 'closed' };
}

function notCounted({ code, detail }: Failed): Forwarded {
  // It is about this vote alone, and a later try gets the same answer.
  if (code === 'name-too-long') return { kind: 'refused', reply: detail };
  const never = NEVER_SENT[code];
  if (never !== undefined) return { kind: 'refused', reply: null, reason: never };
  const reason = NOT_SENT[code] ?? 'votifier.unreachable';
  return ERROR_ANSWERS.has(reason)
    ? { kind: 'error-answer', reason, said: detail }
    : { kind: 'not-sent', reason };
}

const NEVER_SENT: Partial<Record<FailureCode, NeverSentCode>> = {
  'line-break': 'votifier.line-break',
  'vote-too-long': 'votifier.too-long',
};

/** Everything else is a way in which connecting fails. */
const NOT_SENT: Partial<Record<FailureCode, VotifierNotSentReason>> = {
  'key-unusable': 'votifier.key-unusable',
  'host-unresolvable': 'votifier.host-unknown',
  'connection-reset': 'votifier.no-greeting',
  'closed-without-greeting': 'votifier.no-greeting',
  'no-greeting': 'votifier.no-greeting',
  'not-votifier': 'votifier.foreign-greeting',
  'v1-only': 'votifier.other-version',
  'version-unknown': 'votifier.other-version',
  'closed-before-vote': 'votifier.closed-early',
  'wrong-token': 'votifier.wrong-token',
  'unknown-service': 'votifier.unknown-service',
  'challenge-refused': 'votifier.error-answer',
  'error-reply': 'votifier.error-answer',
};

const ERROR_ANSWERS: ReadonlySet<VotifierNotSentReason> = new Set([
  'votifier.wrong-token',
  'votifier.unknown-service',
  'votifier.error-answer',
]);
