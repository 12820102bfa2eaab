import { nameAsWord } from './template.ts';
import { COUNT_BYTES, NAME_BYTES } from './template-bytes.ts';

/** So many of the best players are shown. */
export const TOPS_SHOWN = 10;

/** What the commands of `publish` may show. */
export const PUBLISHED = [
  ...(['player', 'rank', 'votes', 'votesMonth', 'partyVotes', 'partyLeft'] as const),
  ...Array.from({ length: TOPS_SHOWN }, (_, at) => [`top${at + 1}`, `top${at + 1}Votes`]).flat(),
];

/** What is about one player: a command with one of these is run for each player who is online. */
const OF_PLAYER: readonly string[] = ['player', 'rank', 'votes', 'votesMonth'];

const WORD = new RegExp(`\\{(${PUBLISHED.join('|')})\\}|%(${PUBLISHED.join('|')})%`, 'g');

/** The names of what a command shows. */
export const publishedIn = (template: string): readonly string[] =>
  [...template.matchAll(WORD)].map(([, braced, percent]) => braced ?? percent ?? '');

export const isForEachPlayer = (template: string): boolean =>
  publishedIn(template).some((name) => OF_PLAYER.includes(name));

/** The longest line that a command can become, in bytes. */
export const longestPublished = (template: string): number =>
  Buffer.byteLength(
    template.replaceAll(WORD, (_, braced: string | undefined, percent: string | undefined) =>
      'x'.repeat(/^(?:player|top\d+)$/.test(braced ?? percent ?? '') ? NAME_BYTES : COUNT_BYTES),
    ),
  );

/** The command with its values. A value that is absent shows as `-`, because the figures of a moment ago may have had more. */
export const withFigures = (template: string, values: ReadonlyMap<string, string | number>): string =>
  template.replaceAll(WORD, (_, braced: string | undefined, percent: string | undefined) => {
    const value = values.get(braced ?? percent ?? '');
    return value === undefined ? '-' : String(value);
  });

/** A player's name as a value; null if it cannot be a word of a command. */
export const playerValue = (player: string): string | null => nameAsWord(player);
