/**
 * Whose UUID a game server shows: of a Java account (version 4), or of a Bedrock account that Floodgate lets in (its
 * first 64 bits are 0).
 */
export type PlayerUuidKind = 'online' | 'floodgate';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const FLOODGATE = /^0{8}-0{4}-0{4}-/;
const VERSION_4 = /^.{14}4.{4}[89ab]/;

/**
 * null for a UUID that says nothing about who a player is. A server in offline mode computes one of version 3 from the
 * name, so that a name in other letters has another one.
 *
 * @param uuid in lower case, with hyphens.
 */
export function playerUuidKind(uuid: string): PlayerUuidKind | null {
  if (!UUID.test(uuid)) return null;
  if (FLOODGATE.test(uuid)) return 'floodgate';
  return VERSION_4.test(uuid) ? 'online' : null;
}

/** A UUID as game servers and plugins write it, in lower case with hyphens; null for any other text. */
export function parsePlayerUuid(text: string): string | null {
  const digits = text.toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/.test(digits)) return null;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
