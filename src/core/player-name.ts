declare const checked: unique symbol;

/** A name that passed the whitelist (rule 8): it may be stored, rendered and logged as it is. */
export type PlayerName = string & { readonly [checked]: true };

export type PlayerNameResult =
  | { readonly kind: 'name'; readonly name: PlayerName }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'not-allowed' }
  /** It would be a valid name, but its prefix is not configured. */
  | { readonly kind: 'unknown-prefix' };

/** The most characters that a name can have, prefix included. */
export const PLAYER_NAME_MAX = 16;

/** A name after a prefix that `players.bedrockPrefixes` could contain. */
const NAME_AFTER_PREFIX = /^[^@"'\\/#;\s\p{C}\p{L}\p{N}\p{M}_]{1,3}[A-Za-z0-9_]+$/u;

const JAVA_NAME = /^[A-Za-z0-9_]+$/;

/**
 * Checks a name as a game server shows it: `[A-Za-z0-9_]`, optionally after one of the prefixes that a cross-play bridge
 * gives Bedrock players, 1 to 16 characters in all (rule 8).
 */
export function parsePlayerName(text: string, bedrockPrefixes: readonly string[]): PlayerNameResult {
  if (text.length > PLAYER_NAME_MAX) return { kind: 'too-long' };
  const forms = ['', ...bedrockPrefixes].filter((prefix) => text.startsWith(prefix));
  const allowed = forms.some((prefix) => JAVA_NAME.test(text.slice(prefix.length)));
  if (allowed) return { kind: 'name', name: text as PlayerName };
  return { kind: NAME_AFTER_PREFIX.test(text) ? 'unknown-prefix' : 'not-allowed' };
}

/** Whether a checked name has the prefix that a cross-play bridge gives Bedrock players. */
export const hasBedrockPrefix = (name: string): boolean => !JAVA_NAME.test(name);

/** Matches two or more words with single spaces between them. */
const SPACED = /^[^ ]+(?: [^ ]+)+$/;

/**
 * Checks a name that a voter or an operator typed, or that a plugin stored. Bedrock names may have spaces, which a
 * cross-play bridge shows as `_` on a Java server. So a name that is not allowed and has single spaces is tried with `_`.
 * Surrounding white space, which includes a byte order mark and CR, is not part of a name.
 */
export function parseVotedName(sent: string, bedrockPrefixes: readonly string[]): PlayerNameResult {
  const text = sent.trim();
  const asSent = parsePlayerName(text, bedrockPrefixes);
  return asSent.kind !== 'name' && asSent.kind !== 'too-long' && SPACED.test(text)
    ? parsePlayerName(text.replaceAll(' ', '_'), bedrockPrefixes)
    : asSent;
}

/** A name to look for: as a vote by it would be stored, or as it was asked for if it is not a player's. */
export function askedName(asked: string, bedrockPrefixes: readonly string[]): string {
  const voted = parseVotedName(asked, bedrockPrefixes);
  return voted.kind === 'name' ? voted.name : asked.trim();
}

/**
 * The names that a cross-play bridge could give a player who votes under this name: one for each prefix, truncated to
 * the length of a name. Empty if the name has a prefix.
 */
export const bedrockNamesOf = (name: string, bedrockPrefixes: readonly string[]): readonly string[] =>
  bedrockPrefixes.some((prefix) => name.startsWith(prefix))
    ? []
    : bedrockPrefixes.map((prefix) => `${prefix}${name}`.slice(0, PLAYER_NAME_MAX));

const KELVIN_SIGN = '\u212a';

/**
 * The form in which names are compared: in lower case. The Kelvin sign is left as it is: if it became the letter k, one
 * player would get another player's votes.
 */
export const playerKey = (name: string): string =>
  name.includes(KELVIN_SIGN)
    ? name
        .split(KELVIN_SIGN)
        .map((part) => part.toLowerCase())
        .join(KELVIN_SIGN)
    : name.toLowerCase();
