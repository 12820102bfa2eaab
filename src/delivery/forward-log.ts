import { type ForwardedVote, forwardedVoteText } from '../core/forward.ts';
import type { Log } from '../core/log.ts';
import type { Outcome } from '../core/outcome.ts';
import { printable } from '../core/printable.ts';
import type { OpenGrant } from '../ledger/ledger.ts';
import { neverSentReasons, sentenceOf, unknownReasons } from './reasons.ts';

/** Logs how a forward ended and what the operator has to do about it, if anything. */
export function logForward(
  log: Log,
  server: string,
  { id, reward }: OpenGrant,
  vote: ForwardedVote,
  outcome: Outcome,
): void {
  const fields = { grant: id, reward, server, code: outcome.kind };
  const which = `the ${printable(forwardedVoteText(vote), 200)}`;
  switch (outcome.kind) {
    case 'delivered': {
      const answer = printable(outcome.reply) || 'written, which version 1 cannot confirm';
      log.info(fields, `forwarded to ${server}: ${which} → ${answer}`);
      break;
    }
    case 'not-sent':
      log.debug(fields, `grant ${id}: not forwarded to ${server}: ${sentenceOf(outcome.reason)}`);
      break;
    case 'refused':
    case 'player-offline': {
      const why =
        'reason' in outcome && outcome.reason !== undefined
          ? `${neverSentReasons[outcome.reason]} [${outcome.reason}]`
          : printable(outcome.reply ?? '');
      log.warn(fields, `grant ${id}: ${which} was not forwarded to ${server}: ${why}`);
      break;
    }
    case 'unknown': {
      const todo = `look there, then use \`teller grants mark-paid ${id}\` if it is there, or \`teller grants pay ${id}\` if not`;
      log.warn(
        fields,
        `grant ${id} is held: ${which} may have arrived at ${server} (${unknownReasons[outcome.reason]}); ${todo}`,
      );
      break;
    }
  }
}
