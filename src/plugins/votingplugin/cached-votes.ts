import type { PlayerBalance, UnreadableEntry } from '../../core/player-balance.ts';
import { parseVotedName } from '../../core/player-name.ts';
import { parsePlayerUuid } from '../../core/player-uuid.ts';
import { NO_BALANCE } from '../no-balance.ts';

interface Reading {
  readonly bedrockPrefixes: readonly string[];
}

/**
 * Votes in votecache.json of the plugin's folder on a proxy. They are numbered in objects by server under `VoteCache`,
 * and by player under `OnlineCache`: a vote that goes to several servers is in each of them, and one vote here. Each vote is a balance of its own. Read
 * from BungeeJsonVoteCache.java of VotingPlugin 7.1.
 *
 * @param text null if there is no such file.
 */
export function cachedVotes(
  file: string,
  text: string | null,
  { bedrockPrefixes }: Reading,
): readonly (PlayerBalance | UnreadableEntry)[] {
  if (text === null || text.trim() === '') return [];
  const fault = (key: string, why: string): UnreadableEntry => ({ kind: 'unreadable', file, key, why });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [fault('', `is not JSON: ${(error as Error).message}`)];
  }
  const entries = ['VoteCache', 'OnlineCache'].flatMap((cache) => entriesOf(value, cache));
  const found = entries.map(([key, entry]) => balanceOf(entry, bedrockPrefixes) ?? fault(key, 'is no vote'));
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' ? (value as Readonly<Record<string, unknown>>) : {};

const entriesOf = (value: unknown, cache: string): readonly (readonly [string, unknown])[] =>
  Object.entries(objectOf(objectOf(value)[cache])).flatMap(([owner, votes]) =>
    Object.entries(objectOf(votes)).map(([number, vote]) => [`${cache}.${owner}.${number}`, vote] as const),
  );

function balanceOf(value: unknown, bedrockPrefixes: readonly string[]): PlayerBalance | null {
  const { Name: written, UUID: uuid, Service: service, Time: time } = objectOf(value);
  if (typeof written !== 'string' || typeof service !== 'string') return null;
  const read = parseVotedName(written, bedrockPrefixes);
  if (read.kind !== 'name') return null;
  const at = Number.isSafeInteger(time) && Number(time) > 0 ? Number(time) : null;
  return {
    ...NO_BALANCE,
    player: read.name,
    uuid: parsePlayerUuid(String(uuid)),
    unpaidVotes: [{ service, at }],
  };
}
