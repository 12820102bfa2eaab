import { type PlayerName, parseVotedName } from '../core/player-name.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';

/**
 * The player that an operator names to be paid, checked as the name of a vote is (rule 8).
 *
 * @throws Problem `player-not-allowed`
 */
export function payeeOf(text: string, bedrockPrefixes: readonly string[]): PlayerName {
  const name = parseVotedName(text, bedrockPrefixes);
  if (name.kind === 'name') return name.name;
  const prefixes = bedrockPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
  const bedrock = prefixes === '' ? '' : `, after ${prefixes} for a Bedrock player`;
  throw new Problem(
    'player-not-allowed',
    `“${printable(text, 64)}” cannot be a player's name: use 1 to 16 of A-Z a-z 0-9 _${bedrock}, as the game server shows it.`,
  );
}
