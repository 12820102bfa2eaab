import { isWithin, parseRange } from './range.ts';
import type { Player, World } from './world.ts';

/** What a selector selects from. */
export interface Selecting {
  readonly world: World;
  /** The player that `@s` selects: set within `execute as`, null for RCON itself. */
  readonly self: Player | null;
  /** The dimension in which the command runs. */
  readonly dimension: string;
}

const SELECTOR = /^@([aeprs])(?:\[(.*)\])?$/;
const OPTION = /(\w+)=(!?)("(?:[^"\\]|\\.)*"|\{[^}]*\}|[^,]*)/g;
const SCORE = /([^\s={},]+)=([^\s,}]+)/g;

interface Option {
  readonly isNegated: boolean;
  readonly value: string;
}

type Test = (player: Player, value: string, game: Selecting) => boolean;

/** Where a player is only decides if a position is asked for: then they must be in the same dimension. */
const isHere: Test = ({ dimension }, _, game) => dimension === game.dimension;

/** The options that rewards use. Others are ignored. */
const tests: Readonly<Record<string, Test>> = {
  name: ({ name }, value) => name === value,
  tag: ({ tags }, value) => (value === '' ? tags.size === 0 : tags.has(value)),
  team: ({ name }, value, { world }) => (world.teamOf(name) ?? '') === value,
  scores: ({ name }, value, { world }) =>
    [...value.matchAll(SCORE)].every(([, objective = '', range = '']) => {
      const read = parseRange(range);
      return read !== null && isWithin(read, world.objectives.get(objective)?.get(name));
    }),
  distance: isHere,
  x: isHere,
};

const optionsIn = (text: string): readonly (readonly [string, Option])[] =>
  [...text.matchAll(OPTION)].map(([, key = '', negation, value = '']) => [
    key,
    { isNegated: negation === '!', value: value.replace(/^"(.*)"$/s, '$1').replaceAll(/\\(.)/g, '$1') },
  ]);

/** The players that a selector selects; null if the word is none. */
export function selectedBy(word: string, game: Selecting): Player[] | null {
  const selector = SELECTOR.exec(word);
  if (selector === null) return null;
  const [, kind, written = ''] = selector;
  const options = optionsIn(written);
  const all = kind === 's' ? [game.self ?? []].flat() : game.world.online();
  const selected = all.filter((player) =>
    options.every(([key, { isNegated, value }]) => {
      const test = tests[key];
      return test === undefined || test(player, value, game) !== isNegated;
    }),
  );
  return kind === 'p' || kind === 'r' ? selected.slice(0, 1) : selected;
}
