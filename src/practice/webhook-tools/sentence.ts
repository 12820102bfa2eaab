import { printable } from '../../core/printable.ts';
import type { EventFacts, Facts, OtherRequest, SignatureState } from './received.ts';

/** The sentence in the receiver's answer, which shows in the sender's delivery log. */
export function deliverySentence(
  facts: Facts | EventFacts,
  signature: SignatureState,
  again: boolean,
  status: number,
): string {
  const isTaken = status >= 200 && status < 300;
  if (signature === 'wrong' || signature === 'missing') {
    const fault = `the signature is ${signature}`;
    return isTaken ? `accepted although ${fault}` : `refused: ${fault}`;
  }
  const judged = signature === 'valid' ? 'verified' : 'not verified (no secret)';
  const then = isTaken ? '' : `; answered ${status} as configured`;
  return `${judged}: ${whatCame(facts)}${again ? ', again: dedupe on eventId' : ''}${then}`;
}

function whatCame(facts: Facts | EventFacts): string {
  if ('payload' in facts) return facts.payload.event;
  const { test, userId, playerName } = facts;
  if (test) return 'a test, which earns nothing';
  const player = playerName === null ? '' : ` for ${printable(playerName, 32)}`;
  return `vote of ${shortened(printable(userId))}${player}`;
}

const shortened = (id: string): string => (id.length > 8 ? `${id.slice(0, 4)}…` : id);

type RefusalReason = OtherRequest['reason'] | 'not-a-command';

const REASONS: Readonly<Record<RefusalReason, string>> = {
  'not-http': 'this is not a valid HTTP request; perhaps it is https, but this port speaks http',
  'not-post': 'deliveries and commands are sent by POST',
  'too-large': 'the body is larger than 64 KiB',
  'not-json': 'the body is not JSON',
  'not-a-vote': 'the body is JSON, but neither a vote.created payload of version 1 nor an event of Teller',
  'not-a-command': 'the body is JSON, but not a command of Teller, which has an id, a server and a command',
};

export const refusalSentence = (reason: RefusalReason): string => REASONS[reason];
