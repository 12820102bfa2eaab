import { durationText } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import { printable } from '../core/printable.ts';
import type { AskedPlayers, NoCommand, ReceivedCommand } from '../webhook-tools/command-receiver.ts';
import type { Delivery, OtherRequest, SignatureState } from '../webhook-tools/received.ts';
import { refusalSentence } from '../webhook-tools/sentence.ts';

export type Arrival = Delivery | OtherRequest | ReceivedCommand | AskedPlayers | NoCommand;

export const SIGNATURES: Readonly<Record<SignatureState, string>> = {
  valid: 'valid',
  wrong: 'WRONG: signed with another secret, or changed in transit',
  missing: 'MISSING: the sender has no secret',
  'not-checked': 'not checked (no --secret)',
};

/** One string with several lines, so that two deliveries do not mix. */
export function deliveryBlock(delivery: Delivery): string {
  const { receivedAt, eventId, deliveryId, attempt, userId, listingId, signature, again } = delivery;
  const lines = [
    ['event', printable(eventId) + (again ? '   repeated: use eventId to avoid paying twice' : '')],
    ['delivery', `${printable(deliveryId ?? 'without an ID')}, attempt ${attempt ?? 'not stated'}`],
    ['user', `${printable(userId)} on listing ${printable(listingId)}`],
    ['signature', SIGNATURES[signature]],
    ['answered', answeredText(delivery)],
  ];
  const rows = lines.map(([name = '', value = '']) => `  ${name.padEnd(9)}  ${value}`);
  return [`${isoTime(receivedAt)}  ${title(delivery)}`, ...rows, ''].join('\n');
}

function title({ test, game, playerName }: Delivery): string {
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
