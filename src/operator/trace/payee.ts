import { forwardedVoteText, readForward } from '../../core/forward.ts';
import { printable } from '../../core/printable.ts';
import { COMMAND_BYTES_MAX } from '../../core/template-bytes.ts';
import type { GrantRow } from '../../ledger/ledger.ts';

/** Whom a grant is for. A forward stores no player, because it is for the listener; its vote names one. */
export const payeeOf = ({ player, recipient, commands: [command] }: GrantRow): string =>
  player ?? readForward(command?.command ?? '')?.player ?? printable(recipient, 40);

/** A command for people; of a forward, which vote it is. */
export function owedText(command: string): string {
  const vote = readForward(command);
  return printable(vote === null ? command : forwardedVoteText(vote), COMMAND_BYTES_MAX);
}
