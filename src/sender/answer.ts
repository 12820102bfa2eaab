import { JsonObjectScan } from '../../protocol/votifier/json-object.ts';
import { decodeReply, type Reply } from '../../protocol/votifier/reply.ts';
import { printable } from './foreign.ts';
import type { Ending, FailureCode } from './result.ts';

/** Far more than any known reply; we stop reading a listener that sends more. */
export const ANSWER_MAX_BYTES = 4096;

const OPEN_BRACE = 0x7b;
const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a]);

/** [V2-16] The reply in bytes that may still be incomplete; anything after its closing brace is ignored. */
export function readAnswer(received: Buffer): Reply | { readonly kind: 'need-more' } {
  const unfinished = { kind: received.length > ANSWER_MAX_BYTES ? 'unreadable' : 'need-more' } as const;
  const start = received.findIndex((byte) => !WHITE_SPACE.has(byte));
  if (start < 0) return unfinished;
  if (received[start] !== OPEN_BRACE) return { kind: 'unreadable' };
  const end = new JsonObjectScan(start).read(received);
  return end === null ? unfinished : decodeReply(received.toString('utf8', start, end));
}

/** Messages that all listeners use exactly [V2-15], and our own causes. */
const REFUSALS: readonly (readonly [FailureCode, RegExp])[] = [
  ['wrong-token', /Signature is not valid|InvalidSignature/i],
  ['unknown-service', /Unknown service|UnknownService/i],
  ['challenge-refused', /Challenge is not valid|InvalidChallenge/i],
  ['name-too-long', /Username too long/i],
];

/** What a readable reply means for the vote. The listener's message is kept. */
export function endingOf(reply: Exclude<Reply, { kind: 'unreadable' }>): Ending {
  if (reply.kind === 'ok') return { code: 'accepted' };
  const known = REFUSALS.find(([, words]) => words.test(`${reply.cause} ${reply.message}`));
  const said = printable(reply.message) || printable(reply.cause) || 'an error without a reason';
  return { code: known?.[0] ?? 'error-reply', detail: said };
}
