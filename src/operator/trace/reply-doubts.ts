import { judgeReply, type ReplyPatterns } from '../../delivery/replies.ts';
import type { CommandRow } from '../../ledger/ledger.ts';

/** For a game server that is not in the config. */
const NO_PATTERNS: ReplyPatterns = { refusedReplies: [], offlineReplies: [], deliveredReplies: [] };

export const patternsOf = (gameServers: ReadonlyMap<string, ReplyPatterns>, server: string): ReplyPatterns =>
  gameServers.get(server) ?? NO_PATTERNS;

/**
 * If the reply to a delivered command looks like a failure, the entry for `refusedReplies` that would refuse it; otherwise
 * null. Uses the current patterns: once the operator has added one, the reply is no longer doubted.
 */
export function doubtOf(
  { command, outcome, reply, reason }: CommandRow,
  patterns: ReplyPatterns,
): string | null {
  if (outcome !== 'delivered' || reply === null || reason !== null) return null;
  const judged = judgeReply(reply, patterns, command).outcome;
  return 'doubt' in judged ? (judged.doubt ?? null) : null;
}
