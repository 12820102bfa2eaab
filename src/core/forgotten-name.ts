/** Stands for the name of a player who was forgotten. No vote can name it, because no name has a hyphen (rule 8). */
export const forgottenName = (id: number): string => `forgotten-${id}`;

/** Whether a player was forgotten: only a text stands for them, which is nobody's name. @param player null: a user ID. */
export const isForgotten = ({ player }: { readonly player: string | null }): boolean =>
  player !== null && /^forgotten-\d+$/.test(player);

const AROUND = '[A-Za-z0-9_]';

/** The text with another name wherever one of these names is a whole word, in any case. */
export function withoutNames(text: string, keys: readonly string[], instead: string): string {
  return keys.reduce((rest, key) => rest.replace(patternOf(key), () => instead), text);
}

const patternOf = (key: string): RegExp =>
  new RegExp(`(?<!${AROUND})${key.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}(?!${AROUND})`, 'giu');
