import { ALARMS_EVENT, TEST_EVENT } from '../../protocol/events.ts';
import { durationText } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import { printable } from '../core/printable.ts';
import { eventSentence } from '../notify/events/payload.ts';
import type { AskedPlayers, NoCommand, ReceivedCommand } from '../practice/webhook-tools/command-receiver.ts';
import type {
  Delivery,
  OtherRequest,
  ReceivedEvent,
  SignatureState,
  TellerPayload,
} from '../practice/webhook-tools/received.ts';
import { refusalSentence } from '../practice/webhook-tools/sentence.ts';

export type Arrival = Delivery | ReceivedEvent | OtherRequest | ReceivedCommand | AskedPlayers | NoCommand;

export const SIGNATURES: Readonly<Record<SignatureState, string>> = {
  valid: 'valid',
  wrong: 'WRONG: signed with another secret, or changed in transit',
  missing: 'MISSING: the sender has no secret',
  'not-checked': 'not checked (no --secret)',
};

export function deliveryBlock(delivery: Delivery): string {
  const { userId, listingId } = delivery;
  const user = `${printable(userId)} on listing ${printable(listingId)}`;
  return block(delivery, voteTitle(delivery), 'to avoid paying twice', [['user', user]]);
}

export function eventBlock(event: ReceivedEvent): string {
  const { test, payload } = event;
  const name = payload.event === TEST_EVENT ? [] : [payload.event];
  const title = [...(test ? ['TEST'] : []), ...name].join(' ');
  return block(event, `${title}: ${printable(sentenceOf(payload), SENTENCE_MAX)}`, 'to act on it only once');
}

/** In characters: several alarms can come at once. */
const SENTENCE_MAX = 500;

const sentenceOf = (payload: TellerPayload): string =>
  payload.event === TEST_EVENT || payload.event === ALARMS_EVENT ? payload.data.text : eventSentence(payload);

/** One string with several lines, so that two deliveries do not mix. */
function block(
  received: Delivery | ReceivedEvent,
  title: string,
  useOfId: string,
  more: readonly (readonly [string, string])[] = [],
): string {
  const { receivedAt, eventId, deliveryId, attempt, signature, again } = received;
  const lines = [
    ['event', printable(eventId) + (again ? `   repeated: use eventId ${useOfId}` : '')],
    ['delivery', `${printable(deliveryId ?? 'without an ID')}, attempt ${attempt ?? 'not stated'}`],
    ...more,
    ['signature', SIGNATURES[signature]],
    ['answered', answeredText(received)],
  ];
  const rows = lines.map(([name = '', value = '']) => `  ${name.padEnd(9)}  ${value}`);
  return [`${isoTime(receivedAt)}  ${title}`, ...rows, ''].join('\n');
}

function voteTitle({ test, game, playerName }: Delivery): string {
  const where = game === null ? 'a bot' : game;
  const player = playerName === null ? 'no player' : printable(playerName, 32);
  const what = game === null ? `vote for ${where}` : `vote on ${where}, ${player}`;
  return test ? `TEST ${what}: earns nothing` : what;
}

/** Shorter times are not shown. */
const AT_ONCE_MS = 100;

export function answeredText({ answered, afterMs }: Pick<Delivery, 'answered' | 'afterMs'>): string {
  const after = durationText(afterMs);
  if (answered === null) return `nothing: the sender closed the connection after ${after}`;
  return afterMs < AT_ONCE_MS ? String(answered) : `${answered}, after ${after}`;
}

export const otherLine = ({
  kind,
  receivedAt,
  reason,
  signature,
  answered,
}: OtherRequest | NoCommand): string => {
  const signed = signature === 'not-checked' ? '' : ` (signature ${signature})`;
  const what = kind === 'no-command' ? 'no command' : 'no delivery';
  return `${isoTime(receivedAt)}  ${what}: ${refusalSentence(reason)}${signed}; answered ${answered}\n`;
};

export const toJson = (arrival: Arrival): object => ({
  ...arrival,
  receivedAt: isoTime(arrival.receivedAt),
});
