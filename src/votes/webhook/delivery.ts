import { CountableVote, TEST_EVENT_ID } from '../../../protocol/webhook/payload.ts';
import { verifySignature } from '../../../protocol/webhook/signature.ts';
import { readJsonBytes } from '../../core/json.ts';
import { printable } from '../../core/printable.ts';
import type { VoteReport } from '../intake/vote-report.ts';
import type { AnswerCode } from './answers.ts';
import type { Route } from './routes.ts';

/** The vote in a delivery, without when and from where it was received. */
export type SignedVote = Omit<VoteReport, 'receivedAt' | 'address'>;

export type Judged =
  | { readonly kind: 'vote'; readonly vote: SignedVote }
  | { readonly kind: 'other'; readonly code: AnswerCode; readonly detail: string };

/** How much of the received text is kept for the trace: ten times the length of a usual delivery. */
const TEXT_MAX_CHARACTERS = 4_096;

/** Checks the signature and reads the vote from the signed bytes; nothing comes from a header (RC-04). */
export function judgeDelivery(body: Uint8Array, signature: string | undefined, route: Route): Judged {
  // [WH-7] Over the bytes, before they are parsed.
  if (signature === undefined) return other('signature-missing');
  if (!verifySignature(signature, body, route.secret.reveal())) return other('signature-wrong');
  const json = readJsonBytes(body);
  if (json === undefined) return other('not-json');
  const payload = CountableVote.safeParse(json);
  if (!payload.success) return other('not-a-vote');
  const { eventId, test, data } = payload.data;
  // If two entries have the same secret, one listing's votes must not be paid as the other's.
  if (data.listingId !== route.listingId) return other('other-listing', printable(data.listingId, 64));
  // [WH-3] One mark of a test is enough: tests are never paid.
  if (test || eventId === TEST_EVENT_ID) return other('test');
  // [WH-4]
  const game = data.listingType === 'bot' ? 'bot' : (data.game ?? route.game);
  return {
    kind: 'vote',
    vote: {
      channel: 'webhook',
      site: route.site,
      eventId,
      userId: data.userId,
      player: data.playerName ?? null,
      game,
      votedAt: Date.parse(data.votedAt),
      unrewarded: null,
      text: beginning(JSON.stringify(json)),
    },
  };
}

const other = (code: AnswerCode, detail = ''): Judged => ({ kind: 'other', code, detail });

const beginning = (text: string): string =>
  text.length <= TEXT_MAX_CHARACTERS ? text : `${text.slice(0, TEXT_MAX_CHARACTERS - 1)}…`;
