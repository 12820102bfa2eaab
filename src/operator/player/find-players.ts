import type { Config } from '../../config/config.ts';
import { askedName, playerKey } from '../../core/player-name.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { nearNames } from '../trace/near-names.ts';

/** Names in lower case that a text may mean. */
export interface FoundPlayers {
  /** Exactly this name or user ID, or the names of this UUID. */
  readonly exact: readonly string[];
  /** They begin with it. */
  readonly beginning: readonly string[];
  /** Another spelling of it: with a typo, or with or without a Bedrock prefix. Looked for only if nothing else was found. */
  readonly similar: readonly string[];
}

const SHOWN = 20;

/** Finds players by any spelling of a name that they have or had, by the beginning of one, or by a UUID. */
export async function findPlayers(
  asked: string,
  ledger: Ledger,
  { players: { bedrockPrefixes } }: Pick<Config, 'players'>,
): Promise<FoundPlayers> {
  const name = askedName(asked, bedrockPrefixes);
  const key = playerKey(name);
  if (key === '') return { exact: [], beginning: [], similar: [] };
  const exact = await exactly(name, key, ledger);
  const beginning = (await ledger.namesBeginning(key, SHOWN)).filter((each) => each !== key);
  const isFound = exact.length > 0 || beginning.length > 0;
  return { exact, beginning, similar: isFound ? [] : await nearNames(ledger, key, bedrockPrefixes) };
}

async function exactly(name: string, key: string, ledger: Ledger): Promise<readonly string[]> {
  if ((await ledger.players(name)).length > 0) return [key];
  const ofUser = await ledger.votes({ recipient: name, limit: 1 });
  return ofUser.length > 0 ? [name] : ledger.namesOfUuid(name);
}
