import names from './items.json' with { type: 'json' };

/**
 * The names of all items of Java Edition 1.13 to 26.1, so that practice refuses a typo in a reward as a real game
 * server would. Names outside `minecraft:` belong to mods, and practice accepts them all.
 */
export const vanillaItems: ReadonlySet<string> = new Set(names);
