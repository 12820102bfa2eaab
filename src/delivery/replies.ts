/** What a complete reply says about the command (rule 5). */
export type Verdict = 'delivered' | 'refused' | 'player-offline';

export interface ReplyPatterns {
  readonly refusedReplies: readonly RegExp[];
  readonly offlineReplies: readonly RegExp[];
}

/** Looked for at the very beginning only, where vanilla and the well-known plugins put it. */
const offline: readonly RegExp[] = [
  /^No player was found/,
  /^No entity was found/,
  /^That player cannot be found/,
  /^(?:Error: ?)?Player not found/,
  /^(?:Error: ?)?(?:The )?[Pp]layer \S{1,16} (?:is not online|cannot be found|was not found|could not be found)/,
];

const refused: readonly RegExp[] = [
  /^Unknown or incomplete command/,
  /^Unknown command/,
  /^Incorrect argument for command/,
  /^Expected (?:'|(?:whitespace|quote|integer|long|float|double|boolean|literal|value|key|end of|closing|item)\b)/,
  /^Expected a (?:coordinate|block position)/,
  /^Unknown (?:item|block|effect|enchantment|entity|particle|function|selector|option|color|criterion)\b/,
  /^Unknown (?:dimension|display slot|game mode|ID|scoreboard objective|loot table|sound)\b/,
  /^Invalid (?:name or UUID|UUID|ID|or unknown|integer|long|float|double|boolean|escape sequence|value|unit)\b/,
  /^Invalid (?:chat component|array type|angle|operation|style|NBT path)\b/,
  /^(?:Integer|Long|Float|Double) must not be (?:less|more) than /,
  /^(?:Malformed |Unclosed quoted string|Unexpected trailing data|Missing selector type|Incomplete \(expected )/,
  /^Can't (?:find|insert|give more than) /,
  /^Could not parse command/,
  /^Only (?:one player|one entity|players may) /,
  /^An? (?:player|entity) is required to run this command here/,
  /^That player does not exist/,
  /^Scoreboard objective '.*' is read-only/,
  /^An (?:unexpected|internal) error occurred (?:trying to execute that|while attempting to perform this) command/,
  /^(?:I'm sorry, but you|You) do not have permission/,
  /^Usage: \//,
  /^There is no such item with (?:name|ID) /,
  // Vanilla points with it at the place where it stopped understanding, in every language.
  /<--\[HERE\]$/,
];

/** The operator's patterns come first and may match anywhere; offline comes before refused, because it mends itself. */
export function judgeReply(reply: string, own: ReplyPatterns): Verdict {
  const text = plain(reply);
  const matches = (pattern: RegExp): boolean => text.search(pattern) >= 0;
  if (own.offlineReplies.some(matches)) return 'player-offline';
  if (own.refusedReplies.some(matches)) return 'refused';
  if (offline.some(matches)) return 'player-offline';
  return refused.some(matches) ? 'refused' : 'delivered';
}

/** Without Minecraft's colour codes and the space around. */
export const plain = (reply: string): string => reply.replaceAll(/§./gu, '').trim();
