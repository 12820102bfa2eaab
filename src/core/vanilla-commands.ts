/**
 * Commands of the game itself that are for players and fail before they change anything. One of a plugin may have changed
 * something before it failed.
 */
const FOR_PLAYERS: ReadonlySet<string> = new Set([
  ...['advancement', 'clear', 'effect', 'enchant', 'experience', 'gamemode', 'give', 'item', 'loot', 'msg'],
  ...['playsound', 'recipe', 'spawnpoint', 'tag', 'teleport', 'tell', 'tellraw', 'title', 'tp', 'w', 'xp'],
]);

/** Whether a line runs one of them, as long as no plugin has a command of that name. */
export function isVanillaForPlayers(line: string): boolean {
  const root = (line.replace(/^\//, '').split(' ', 1)[0] ?? '').toLowerCase();
  return FOR_PLAYERS.has(root.replace(/^minecraft:/, ''));
}
