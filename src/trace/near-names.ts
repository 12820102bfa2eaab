import { nearestWord } from '../core/nearest-word.ts';
import { bedrockNamesOf } from '../core/player-name.ts';
import type { LedgerReader } from '../ledger/ledger.ts';

/** How many of the latest recipients are searched. */
const LOOKED_THROUGH = 20_000;
/** How much longer or shorter a typo or a Bedrock prefix can make a name. */
const LENGTH_SLACK = 3;
const NEAR_MAX = 3;

/** Recipients in the ledger with a similar name: with or without a Bedrock prefix, or with a typo. */
export async function nearNames(
  ledger: LedgerReader,
  key: string,
  bedrockPrefixes: readonly string[],
): Promise<readonly string[]> {
  const least = Math.max(1, key.length - LENGTH_SLACK);
  const known = await ledger.recipientKeys(least, key.length + LENGTH_SLACK, LOOKED_THROUGH);
  const others = new Set(known.filter((other) => other !== key));
  const near = [...others].filter((other) => isTwin(key, other, bedrockPrefixes));
  for (const twin of near) others.delete(twin);
  while (near.length < NEAR_MAX) {
    const next = nearestWord(key, others);
    if (next === null) break;
    near.push(next);
    others.delete(next);
  }
  return near;
}

/** Some sites strip the prefix and some keep it, so the same person may have two names. */
const isTwin = (a: string, b: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => a === prefix + b || b === prefix + a);

/** The player whom this name probably means: one who voted under the same name with a Bedrock prefix. */
export async function likelyPlayer(
  ledger: LedgerReader,
  name: string,
  bedrockPrefixes: readonly string[],
): Promise<string | null> {
  for (const recipient of bedrockNamesOf(name, bedrockPrefixes)) {
    const [vote] = await ledger.votes({ recipient, limit: 1 });
    if (vote?.player != null) return vote.player;
  }
  return null;
}

/** The same name with or without a Bedrock prefix, if that name has votes. */
export async function namesWithOtherPrefix(
  ledger: LedgerReader,
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
