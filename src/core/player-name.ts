declare const checked: unique symbol;

/** A name that passed the whitelist (rule 8): it may be stored, rendered and logged as it is. */
export type PlayerName = string & { readonly [checked]: true };

export type PlayerNameResult =
  | { readonly kind: 'name'; readonly name: PlayerName }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'not-allowed' }
  /** It would be a name behind a prefix that is not among the known ones. */
  | { readonly kind: 'unknown-prefix' };

/** Characters of a name, prefix included. */
export const PLAYER_NAME_MAX = 16;

/** What `players.bedrockPrefixes` may hold, and a name behind it. */
const BEHIND_A_PREFIX = /^[^@"'\\/#;\s\p{C}\p{L}\p{N}\p{M}_]{1,3}[A-Za-z0-9_]+$/u;

const JAVA_NAME = /^[A-Za-z0-9_]+$/;

/**
 * Judges a name as a site sent it: `[A-Za-z0-9_]`, optionally behind one of the prefixes that a cross-play bridge
 * gives Bedrock players, 1 to 16 characters in all (rule 8).
 */
export function parsePlayerName(text: string, bedrockPrefixes: readonly string[]): PlayerNameResult {
  if (text.length > PLAYER_NAME_MAX) return { kind: 'too-long' };
  const forms = ['', ...bedrockPrefixes].filter((prefix) => text.startsWith(prefix));
  const allowed = forms.some((prefix) => JAVA_NAME.test(text.slice(prefix.length)));
  if (allowed) return { kind: 'name', name: text as PlayerName };
  return { kind: BEHIND_A_PREFIX.test(text) ? 'unknown-prefix' : 'not-allowed' };
}

/** Words with one space between each two. */
const SPACED = /^[^ ]+(?: [^ ]+)+$/;

/**
 * Judges a name as a voter typed it. Bedrock names may have spaces, and no player on a Java server does: the cross-play
 * bridge shows each space as `_`, so a name that single spaces keep from being allowed is tried that way. White space
 * around it (a byte order mark and CR are white space) is no part of a name.
 */
export function parseVotedName(sent: string, bedrockPrefixes: readonly string[]): PlayerNameResult {
  const text = sent.trim();
  const asSent = parsePlayerName(text, bedrockPrefixes);
  return asSent.kind !== 'name' && asSent.kind !== 'too-long' && SPACED.test(text)
    ? parsePlayerName(text.replaceAll(' ', '_'), bedrockPrefixes)
    : asSent;
}

/**
 * What a cross-play bridge would call a player who votes under this name: with each prefix, cut to the length of a
 * name. Empty where the name has a prefix.
 */
export const bedrockNamesOf = (name: string, bedrockPrefixes: readonly string[]): readonly string[] =>
  bedrockPrefixes.some((prefix) => name.startsWith(prefix))
    ? []
    : bedrockPrefixes.map((prefix) => `${prefix}${name}`.slice(0, PLAYER_NAME_MAX));

/**
 * Names compare without regard to case. The Kelvin sign is left as it is: in lower case it would be the letter k, and
 * one player would have another one's votes.
 */
export const playerKey = (name: string): string =>
  name.replaceAll(/[^\u212a]+/g, (part) => part.toLowerCase());
