import { readJson } from '../core/json.ts';
import { displayName, type GameCommand, NO_PLAYER, named, targets } from './game.ts';

/** Vanilla shows the message to all players and sends an empty reply over RCON. */
export const say: GameCommand = (line) => (line.rest() === '' ? line.incomplete() : '');

export const tellraw: GameCommand = (line, game) => {
  const players = targets(line.word(), game);
  const fault = componentFault(line.rest());
  if (fault !== null) return line.fault(fault);
  return players.length === 0 ? NO_PLAYER : '';
};

export const tell: GameCommand = (line, game) => {
  const players = targets(line.word(), game);
  const message = line.rest();
  if (message === '') return line.incomplete();
  if (players.length === 0) return NO_PLAYER;
  return players.map(({ name }) => `You whisper to ${name}: ${message}`).join('');
};

const SHOWN = new Map([
  ['title', 'new title'],
  ['subtitle', 'new subtitle'],
  ['actionbar', 'new actionbar title'],
]);

export const title: GameCommand = (line, game) => {
  const players = targets(line.word(), game);
  const what = line.word();
  const shown = SHOWN.get(what);
  const fault = shown === undefined ? null : componentFault(line.rest());
  if (fault !== null) return line.fault(fault);
  if (shown === undefined && !['clear', 'reset', 'times'].includes(what)) return line.incorrect();
  if (players.length === 0) return NO_PLAYER;
  if (shown !== undefined) return `Showing ${shown} for ${named(players)}`;
  if (what === 'times') return `Changed title display times for ${named(players)}`;
  return what === 'clear'
    ? `Cleared titles for ${named(players)}`
    : `Reset title options for ${named(players)}`;
};

export const playsound: GameCommand = (line, game) => {
  const sound = line.word();
  line.word(); // the volume slider it belongs to
  const who = line.word();
  if (who === '') return line.incomplete();
  const players = targets(who, game);
  if (players.length === 0) return NO_PLAYER;
  return `Played sound ${sound.includes(':') ? sound : `minecraft:${sound}`} to ${named(players)}`;
};

export const summon: GameCommand = (line) => {
  const entity = line.word().replace(/[[{].*$/s, '');
  return entity === '' ? line.incomplete() : `Summoned new ${displayName(entity)}`;
};

/** Operators' most common mistake is a message that is not JSON. */
const componentFault = (text: string): string | null =>
  readJson(text) === undefined ? `Invalid chat component: Malformed JSON in '${text}'` : null;
