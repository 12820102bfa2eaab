import { bedrockNamesOf } from '../../core/player-name.ts';
import type { Ledger } from '../../ledger/ledger.ts';

const NEAR_MAX = 3;

/** Recipients in the ledger with a similar name: with or without a Bedrock prefix, or with a typo. */
export const nearNames = (
  ledger: Pick<Ledger, 'similarNames'>,
  key: string,
  bedrockPrefixes: readonly string[],
): Promise<readonly string[]> => ledger.similarNames(key, bedrockPrefixes, NEAR_MAX);

/** The player whom this name probably means: one who voted or was online under the same name with a Bedrock prefix. */
export async function likelyPlayer(
  ledger: Ledger,
  name: string,
  bedrockPrefixes: readonly string[],
): Promise<string | null> {
  for (const recipient of bedrockNamesOf(name, bedrockPrefixes)) {
    if ((await ledger.players(recipient)).length === 0) continue;
    const [vote] = await ledger.votes({ recipient, limit: 1 });
    return vote?.player ?? recipient;
  }
  return null;
}

/** The same name with or without a Bedrock prefix, if that name has votes. */
export async function namesWithOtherPrefix(
  ledger: Ledger,
  key: string,
  bedrockPrefixes: readonly string[],
): Promise<readonly string[]> {
  const names = bedrockPrefixes.map((prefix) =>
    key.startsWith(prefix) ? key.slice(prefix.length) : prefix + key,
  );
  const twins: string[] = [];
  for (const recipient of names) {
    if ((await ledger.votes({ recipient, limit: 1 })).length > 0) twins.push(recipient);
  }
  return twins;
}
