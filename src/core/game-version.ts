/** A version of the game, such as `1.21.4`. */
export const GAME_VERSION = /^\d{1,4}\.\d{1,4}(\.\d{1,4})?$/;

/** Compares by number, part by part: `1.9` is older than `1.16`. */
export function isVersionAtLeast(version: string, least: string): boolean {
  const [own, other] = [partsOf(version), partsOf(least)];
  const at = other.findIndex((part, index) => (own[index] ?? 0) !== part);
  return at === -1 || (own[at] ?? 0) > (other[at] ?? 0);
}

const partsOf = (version: string): readonly number[] => version.split('.').map(Number);
