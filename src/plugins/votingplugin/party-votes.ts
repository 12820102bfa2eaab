import path from 'node:path';
import { textIfAny } from '../../platform/plain-file.ts';
import { parsePluginYaml } from '../plugin-yaml.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * How many votes have counted for the next party: `VoteParty.CurrentVotes` of votecache.json on a proxy, otherwise
 * `VotingPlugin.VoteParty.Total` of ServerData.yml. Read from BungeeJsonVoteCache.java, ServerData.java and VoteParty.java
 * of VotingPlugin 7.1.
 *
 * @returns null if neither file says it.
 */
export async function partyVotesIn(folder: string): Promise<number | null> {
  const cache = await read(path.join(folder, 'votecache.json'), JSON.parse);
  const data = await read(path.join(folder, 'ServerData.yml'), parsePluginYaml);
  const ofProxy = countOf(fieldsOf(cache.VoteParty).CurrentVotes);
  return ofProxy ?? countOf(fieldsOf(fieldsOf(data.VotingPlugin).VoteParty).Total);
}

/** Nothing for a file that does not exist or cannot be read: without it, only this number is missing. */
async function read(file: string, parse: (text: string) => unknown): Promise<Fields> {
  const text = await textIfAny(file);
  try {
    return fieldsOf(parse(text ?? ''));
  } catch {
    return {};
  }
}

const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' ? (value as Fields) : {};

const countOf = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;
