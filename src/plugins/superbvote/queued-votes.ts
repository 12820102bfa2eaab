import type { PlayerBalance, UnreadableEntry } from '../../core/player-balance.ts';
import { parsePlayerName } from '../../core/player-name.ts';
import { parsePlayerUuid } from '../../core/player-uuid.ts';
import { NO_BALANCE } from '../no-balance.ts';

/**
 * Votes that SuperbVote keeps until their player joins: lists by UUID, of votes with `name`, `serviceName` and
 * `received`. That time is written on a 12-hour clock without saying which half of the day, so it is not used. Read
 * from QueuedVotesStorage.java of SuperbVote 0.5.5.
 */
export function queuedVotes(
  file: string,
  text: string,
  bedrockPrefixes: readonly string[],
): readonly (PlayerBalance | UnreadableEntry)[] {
  if (text.trim() === '') return [];
  const fault = (key: string, why: string): UnreadableEntry => ({ kind: 'unreadable', file, key, why });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [fault('', `is not JSON: ${(error as Error).message}`)];
  }
  return Object.entries(value ?? {}).flatMap(([key, votes]): (PlayerBalance | UnreadableEntry)[] => {
    if (!Array.isArray(votes)) return [fault(key, 'is no list of votes')];
    return votes.map((vote: unknown, index) => {
      const { name, serviceName } = (vote ?? {}) as {
        readonly name?: unknown;
        readonly serviceName?: unknown;
      };
      const isPlayer = typeof name === 'string' && parsePlayerName(name, bedrockPrefixes).kind === 'name';
      if (!isPlayer || typeof serviceName !== 'string')
        return fault(`${key} ${index}`, 'is no vote of a player');
      const unpaidVotes = [{ service: serviceName, at: null }];
      return { ...NO_BALANCE, player: name, uuid: parsePlayerUuid(key), unpaidVotes };
    });
  });
}
