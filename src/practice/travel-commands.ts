import { type GameCommand, NO_ENTITY, targets } from './game.ts';

const MINECRAFT = 'minecraft:';
const OWN = ['overworld', 'the_nether', 'the_end'].map((name) => MINECRAFT + name);

/** Those of Minecraft, and any of a data pack. null: the game does not know it. */
export function dimensionNamed(word: string): string | null {
  const id = word.includes(':') ? word : MINECRAFT + word;
  return OWN.includes(id) || !id.startsWith(MINECRAFT) ? id : null;
}

const COORDINATE = /^(~|-?\d+(?:\.\d+)?)$/;

/** Moves players to a place in the dimension in which the command runs. Places are not kept, only dimensions. */
export const teleport: GameCommand = (line, game) => {
  const who = line.word();
  const [x, y, z] = [line.word(), line.word(), line.word()];
  if (z === '') return line.incomplete();
  if (![x, y, z].every((coordinate) => COORDINATE.test(coordinate))) return line.incorrect();
  const players = targets(who, game);
  if (players.length === 0) return NO_ENTITY;
  for (const player of players) player.dimension = game.dimension;
  const place = `${centred(x)}, ${decimal(y)}, ${centred(z)}`;
  const [first] = players;
  return players.length === 1 && first !== undefined
    ? `Teleported ${first.name} to ${place}`
    : `Teleported ${players.length} entities to ${place}`;
};

const decimal = (text: string): string => (text === '~' ? 0 : Number(text)).toFixed(6);

/** Whole numbers mean the middle of a block. */
const centred = (text: string): string =>
  /^-?\d+$/.test(text) ? (Number(text) + 0.5).toFixed(6) : decimal(text);
