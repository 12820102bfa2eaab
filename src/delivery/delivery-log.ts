import { FORWARD, readForward } from '../core/forward.ts';
import type { Log } from '../core/log.ts';
import { type Outcome, replyOf } from '../core/outcome.ts';
import { printable } from '../core/printable.ts';
import { COMMAND_BYTES_MAX } from '../core/template-bytes.ts';
import type { OpenGrant } from '../ledger/ledger.ts';
import { logForward } from './forward-log.ts';
import { neverSentReasons, sentenceOf, unknownReasons } from './reasons.ts';
import { doubtTodo } from './reply-doubt.ts';

/**
 * Logs how a command ended and what the operator has to do about it, if anything. Replies and spellings of names come
 * from a game server, so they are made printable first.
 */
export function logOutcome(
  log: Log,
  server: string,
  grant: OpenGrant,
  command: string,
  outcome: Outcome,
): void {
  const vote = grant.reward === FORWARD ? readForward(command) : null;
  if (vote !== null) {
    logForward(log, server, grant, vote, outcome);
    return;
  }
  const line = printable(command, COMMAND_BYTES_MAX);
  const fields = { grant: grant.id, reward: grant.reward, server, command, code: outcome.kind };
  switch (outcome.kind) {
    case 'delivered':
      log.info(fields, `${printable(grant.player ?? grant.recipientKey)}: ${line} → ${shownReply(outcome)}`);
      if (outcome.doubt !== undefined) {
        log.warn({ ...fields, code: 'reply-doubtful' }, doubtSentence(grant, server, line, outcome.doubt));
      }
      break;
    case 'refused':
      log.warn(fields, refusedSentence(grant, server, line, outcome));
      break;
    case 'player-offline':
      log.info(fields, `grant ${grant.id} waits for its player: ${shownReply(outcome)}`);
      break;
    case 'unknown':
      log.warn(fields, unknownSentence(grant, line, unknownReasons[outcome.reason] ?? outcome.reason));
      break;
    case 'not-sent':
      log.debug(fields, `grant ${grant.id}: not sent: ${sentenceOf(outcome.reason)}`);
      break;
  }
}

const refusedSentence = (
  { id }: OpenGrant,
  server: string,
  command: string,
  outcome: Extract<Outcome, { kind: 'refused' }>,
): string =>
  outcome.reason === undefined
    ? `grant ${id}: ${server} refused “${command}”: ${shownReply(outcome)}`
    : `grant ${id}: “${command}” was not sent to ${server}: ${neverSentReasons[outcome.reason]} [${outcome.reason}]`;

const shownReply = (outcome: Outcome): string => printable(replyOf(outcome) ?? '') || '(no output)';

const doubtSentence = ({ id }: OpenGrant, server: string, command: string, entry: string): string =>
  `grant ${id}: the reply to “${command}” looks like a failure, but counts as delivered; ${doubtTodo(server, entry)}`;

const unknownSentence = ({ id, safeToRunTwice }: OpenGrant, command: string, reason: string): string =>
  safeToRunTwice
    ? `grant ${id}: no answer to “${command}” (${reason}); it is safe to run twice, so Teller runs it again`
    : `grant ${id} is held: “${command}” may have run (${reason}); look on the game server, then use \`teller grants ran ${id}\` if it ran, or \`teller grants pay ${id}\` if it did not`;
