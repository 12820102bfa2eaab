import type { CommandLine } from './command-line.ts';
import { type Selecting, selectedBy } from './selector.ts';
import type { Player } from './world.ts';

/** The part of the game that a command can use. */
export interface Game extends Selecting {
  /** Whether a line begins with a command that this game has. */
  knows(command: string): boolean;
  /** Runs another command for a player in a dimension, as `execute … run` does. */
  run(command: string, self: Player | null, dimension: string): string;
}

/** Reads its arguments from the line, changes the world, and answers as vanilla does. */
export type GameCommand = (line: CommandLine, game: Game) => string;

export const NO_PLAYER = 'No player was found';
export const NO_ENTITY = 'No entity was found';
export const NO_SUCH_PLAYER = 'That player does not exist';

/** The players that a name or a selector selects. */
export const targets = (word: string, game: Game): Player[] =>
  selectedBy(word, game) ?? [game.world.findOnline(word) ?? []].flat();

/** The name of a single player, otherwise the number of players. */
export const named = (players: readonly Player[], plural = 'players'): string =>
  players.length === 1 ? (players[0] as Player).name : `${players.length} ${plural}`;

const SMALL_WORDS = new Set(['of', 'on', 'a', 'the', 'and', 'with', 'o']);

/** `minecraft:carrot_on_a_stick` as players read it: Carrot on a Stick. */
export const displayName = (id: string): string =>
  id
    .replace(/^.*:/, '')
    .split('_')
    .map((word) => (SMALL_WORDS.has(word) ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join(' ');
