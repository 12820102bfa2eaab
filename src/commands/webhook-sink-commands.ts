import { isoTime } from '../core/instant.ts';
import { printable } from '../core/printable.ts';
import type { AskedPlayers, ReceivedCommand } from '../practice/webhook-tools/command-receiver.ts';
import { answeredText, SIGNATURES } from './webhook-sink-report.ts';

/** One line: the command, what is known of it, and the answer. */
export function commandLine(received: ReceivedCommand): string {
  const { receivedAt, server, command, outcome, again, replayed, signature } = received;
  const notes = [
    signature === 'valid' ? null : `signature ${SIGNATURES[signature]}`,
    again ? 'ran already: the same commandId, so it does not run again' : null,
    replayed ? 'received before: the same id, so it is a replay' : null,
  ];
  const said = outcome === null ? '' : ` ${outcome}`;
  return [
    `${isoTime(receivedAt)}  ${printable(server)}  ${printable(command)}`,
    ...[...factsIn(received), ...notes].filter((fact) => fact !== null),
    `answered ${answeredText(received)}${received.answered === null ? '' : said}`,
  ].join('; ');
}

function factsIn(received: ReceivedCommand): readonly (string | null)[] {
  const { commandId, attempt, player, uuid, reward, occasion, vote, site } = received;
  if (commandId === null) return ['tried by the operator'];
  const shown = (label: string, text: string | number | null): string | null =>
    text === null ? null : `${label} ${printable(String(text))}`;
  return [
    shown('for', player),
    shown('UUID', uuid),
    shown('reward', reward),
    shown('occasion', occasion),
    shown('vote', vote),
    shown('on', site),
    shown('commandId', commandId),
    shown('attempt', attempt),
  ];
}

export function playersLine({ receivedAt, server, players, signature, answered }: AskedPlayers): string {
  const signed = signature === 'valid' ? '' : `; signature ${SIGNATURES[signature]}`;
  const said =
    answered !== 200 || players === null ? '' : `: ${players.length === 0 ? 'nobody' : players.join(', ')}`;
  return `${isoTime(receivedAt)}  ${printable(server)}  asks who is online${signed}; answered ${answered}${said}`;
}
