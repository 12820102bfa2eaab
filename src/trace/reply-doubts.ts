import { asked, judgeReply, type ReplyPatterns } from '../delivery/replies.ts';
import type { CommandRow } from '../ledger/ledger.ts';

/** Of a game server that the config does not have. */
const NO_PATTERNS: ReplyPatterns = { refusedReplies: [], offlineReplies: [], deliveredReplies: [] };

/** The patterns of a game server in the config. */
export const patternsOf = (gameServers: ReadonlyMap<string, ReplyPatterns>, server: string): ReplyPatterns =>
  gameServers.get(server) ?? NO_PATTERNS;

/**
 * The entry for `refusedReplies` that would refuse the reply to a command that counts as delivered, where the reply
 * looks like a failure; null otherwise. Judged by the patterns of now: once the operator has added one, no doubt is left.
 */
export function doubtOf(
  { command, outcome, reply, reason }: CommandRow,
  patterns: ReplyPatterns,
): string | null {
  if (outcome !== 'delivered' || reply === null || reason !== null) return null;
  return judgeReply(reply, patterns, asked(command)).doubt;
}
