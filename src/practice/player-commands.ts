import {
  displayName,
  type GameCommand,
  NO_ENTITY,
  NO_PLAYER,
  NO_SUCH_PLAYER,
  named,
  targets,
} from './game.ts';
import { vanillaItems } from './items.ts';

/** A hundred stacks of 64. */
const GIVE_MAX = 6_400;
const MINECRAFT = 'minecraft:';

export const give: GameCommand = (line, game) => {
  const who = line.word();
  const item = line.word().replace(/[[{].*$/s, '');
  if (item === '') return line.incomplete();
  if (!isItem(item)) return line.fault(`Unknown item '${item.includes(':') ? item : MINECRAFT + item}'`);
  const count = line.integer({ least: 1, absent: 1 });
  if (typeof count === 'string') return count;
  if (!line.atEnd) return line.incorrect();
  const players = targets(who, game);
  if (players.length === 0) return NO_PLAYER;
  if (count > GIVE_MAX) return `Can't give more than ${GIVE_MAX} of [${displayName(item)}]`;
  const kept = item.replace(MINECRAFT, '');
  for (const { items } of players) items.set(kept, (items.get(kept) ?? 0) + count);
  return `Gave ${count} [${displayName(item)}] to ${named(players)}`;
};

const isItem = (id: string): boolean => {
  const [space, name] = id.includes(':') ? id.split(':', 2) : ['minecraft', id];
  if (space === 'minecraft') return vanillaItems.has(name as string);
  return /^[a-z0-9_.-]+:[a-z0-9_./-]+$/.test(id);
};

export const clear: GameCommand = (line, game) => {
  const who = line.word();
  if (who === '' && game.self === null) return 'A player is required to run this command here';
  const item = line.word().replace(MINECRAFT, '');
  const players = targets(who === '' ? '@s' : who, game);
  if (players.length === 0) return NO_PLAYER;
  let removed = 0;
  for (const { items } of players) {
    for (const [name, count] of items) {
      if (item !== '' && item !== name) continue;
      removed += count;
      items.delete(name);
    }
  }
  if (removed === 0)
    return `No items were found on ${players.length === 1 ? 'player ' : ''}${named(players)}`;
  return `Removed ${removed} item(s) from ${players.length === 1 ? 'player ' : ''}${named(players)}`;
};

export const experience: GameCommand = (line, game) => {
  const verb = line.word();
  if (verb !== 'add' && verb !== 'set') return verb === '' ? line.incomplete() : line.incorrect();
  const who = line.word();
  const amount = line.integer({ least: verb === 'set' ? 0 : Number.MIN_SAFE_INTEGER });
  if (typeof amount === 'string') return amount;
  const unit = line.word() || 'points';
  if ((unit !== 'points' && unit !== 'levels') || !line.atEnd) return line.incorrect();
  const players = targets(who, game);
  if (players.length === 0) return NO_PLAYER;
  for (const player of players) player[unit] = verb === 'set' ? amount : player[unit] + amount;
  return verb === 'set'
    ? `Set ${amount} experience ${unit} on ${named(players)}`
    : `Gave ${amount} experience ${unit} to ${named(players)}`;
};

export const effect: GameCommand = (line, game) => {
  const verb = line.word();
  if (verb !== 'give' && verb !== 'clear') return verb === '' ? line.incomplete() : line.incorrect();
  const players = targets(line.word(), game);
  const name = line.word().replace(MINECRAFT, '');
  if (verb === 'give' && name === '') return line.incomplete();
  if (players.length === 0) return NO_ENTITY;
  if (verb === 'give') {
    for (const { effects } of players) effects.add(name);
    return `Applied effect ${displayName(name)} to ${named(players, 'targets')}`;
  }
  if (players.every(({ effects }) => effects.size === 0)) return 'Target has no effects to remove';
  for (const { effects } of players) effects.clear();
  return `Removed every effect from ${named(players, 'targets')}`;
};

const GAME_MODES = ['survival', 'creative', 'adventure', 'spectator'];

export const gamemode: GameCommand = (line, game) => {
  const mode = line.word();
  if (!GAME_MODES.includes(mode)) return line.fault(`Unknown game mode: ${mode}`);
  const players = targets(line.word() || '@s', game);
  if (players.length === 0) return NO_PLAYER;
  return players.map(({ name }) => `Set ${name}'s game mode to ${displayName(mode)} Mode`).join('');
};

export const op: GameCommand = (line, { world }) => {
  const player = world.findKnown(line.word());
  if (player === null) return NO_SUCH_PLAYER;
  if (player.isOperator) return 'Nothing changed. The player already is an operator';
  player.isOperator = true;
  return `Made ${player.name} a server operator`;
};

export const deop: GameCommand = (line, { world }) => {
  const player = world.findKnown(line.word());
  if (player === null) return NO_SUCH_PLAYER;
  if (!player.isOperator) return 'Nothing changed. The player is not an operator';
  player.isOperator = false;
  return `Made ${player.name} no longer a server operator`;
};

export const kick: GameCommand = (line, game) => {
  const players = targets(line.word(), game);
  const reason = line.rest() || 'Kicked by an operator';
  if (players.length === 0) return NO_PLAYER;
  for (const { name } of players) game.world.leave(name);
  return players.map(({ name }) => `Kicked ${name}: ${reason}`).join('');
};
