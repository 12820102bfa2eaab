import type { CommandLine } from './command-line.ts';
import { type Game, type GameCommand, NO_ENTITY, targets } from './game.ts';
import { scoreHolders } from './scoreboard.ts';

const TAGS_MAX = 1_024;

export const tag: GameCommand = (line, game) => {
  const who = line.word();
  const verb = line.word();
  const name = line.word();
  if (verb === '' || (verb !== 'list' && name === '')) return line.incomplete();
  const players = targets(who, game);
  if (players.length === 0) return NO_ENTITY;
  const [first] = players;
  const some = players.length === 1 && first !== undefined ? first.name : `${players.length} entities`;
  switch (verb) {
    case 'add': {
      const changed = players.filter(({ tags }) => !tags.has(name) && tags.size < TAGS_MAX);
      for (const { tags } of changed) tags.add(name);
      if (changed.length === 0) return 'Target either already has the tag or has too many tags';
      return `Added tag '${name}' to ${some}`;
    }
    case 'remove': {
      const changed = players.filter(({ tags }) => tags.delete(name));
      return changed.length === 0 ? 'Target does not have this tag' : `Removed tag '${name}' from ${some}`;
    }
    case 'list':
      return players
        .map(({ name: player, tags }) =>
          tags.size === 0
            ? `${player} has no tags`
            : `${player} has ${tags.size} tags: ${[...tags].join(', ')}`,
        )
        .join('');
    default:
      return line.incorrect();
  }
};

export const team: GameCommand = (line, game) => {
  const verb = line.word();
  if (verb === '') return line.incomplete();
  if (verb === 'leave') return leave(line, game);
  if (verb === 'list' && line.atEnd) return allTeams(game);
  const name = line.word();
  if (name === '') return line.incomplete();
  if (verb === 'add') return add(name, line, game);
  const members = game.world.teams.get(name);
  if (members === undefined) return `Unknown team '${name}'`;
  switch (verb) {
    case 'remove':
      game.world.teams.delete(name);
      return `Removed team [${name}]`;
    case 'join':
      return join(name, line, game);
    case 'empty':
      return empty(name, members);
    case 'list':
      return members.size === 0
        ? `There are no members on team [${name}]`
        : `Team [${name}] has ${members.size} members: ${[...members].join(', ')}`;
    default:
      return line.incorrect();
  }
};

function add(name: string, line: CommandLine, { world }: Game): string {
  if (world.teams.has(name)) return 'A team already exists by that name';
  world.teams.set(name, new Set());
  return `Created team [${line.rest() || name}]`;
}

function allTeams({ world }: Game): string {
  const names = [...world.teams.keys()].map((name) => `[${name}]`);
  return names.length === 0 ? 'There are no teams' : `There are ${names.length} teams: ${names.join(', ')}`;
}

function join(name: string, line: CommandLine, game: Game): string {
  const holders = scoreHolders(line.word() || '@s', game);
  if (holders.length === 0) return NO_ENTITY;
  for (const holder of holders) {
    game.world.leaveTeams(holder);
    game.world.teams.get(name)?.add(holder);
  }
  return `Added ${membersText(holders)} to team [${name}]`;
}

function leave(line: CommandLine, game: Game): string {
  const who = line.word();
  if (who === '') return line.incomplete();
  const holders = scoreHolders(who, game);
  if (holders.length === 0) return NO_ENTITY;
  for (const holder of holders) game.world.leaveTeams(holder);
  return `Removed ${membersText(holders)} from any team`;
}

function empty(name: string, members: Set<string>): string {
  const { size } = members;
  members.clear();
  return size === 0
    ? 'Nothing changed. That team is already empty'
    : `Removed ${size} members from team [${name}]`;
}

const membersText = (holders: readonly string[]): string =>
  holders.length === 1 ? (holders[0] as string) : `${holders.length} members`;
