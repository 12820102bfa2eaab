import type { CommandLine } from './command-line.ts';
import { type Game, type GameCommand, NO_ENTITY, targets } from './game.ts';

export const scoreboard: GameCommand = (line, game) => {
  switch (line.word()) {
    case 'objectives':
      return objectives(line, game);
    case 'players':
      return players(line, game);
    case '':
      return line.incomplete();
    default:
      return line.incorrect();
  }
};

function objectives(line: CommandLine, { world }: Game): string {
  if (line.word() !== 'add') return line.incorrect();
  const objective = line.word();
  const criterion = line.word();
  if (criterion === '') return line.incomplete();
  if (world.objectives.has(objective)) return 'An objective already exists by that name';
  world.objectives.set(objective, new Map());
  return `Created new objective [${line.rest() || objective}]`;
}

function players(line: CommandLine, game: Game): string {
  const verb = line.word();
  if (!['add', 'remove', 'set', 'get'].includes(verb)) return line.incorrect();
  const holders = scoreHolders(line.word(), game);
  const objective = line.word();
  if (objective === '') return line.incomplete();
  const scores = game.world.objectives.get(objective);
  if (scores === undefined) return line.fault(`Unknown scoreboard objective '${objective}'`);
  if (holders.length === 0) return NO_ENTITY;
  if (verb === 'get') return holders.map((holder) => readScore(scores, holder, objective)).join('');
  const amount = line.integer({ least: verb === 'set' ? Number.MIN_SAFE_INTEGER : 0 });
  if (typeof amount === 'string') return amount;
  return holders.map((holder) => writeScore(scores, holder, { verb, amount, objective })).join('');
}

/** A score may belong to any name; a player who is online keeps the spelling they joined with. */
export function scoreHolders(word: string, game: Game): string[] {
  const found = targets(word, game).map(({ name }) => name);
  return word.startsWith('@') || found.length > 0 ? found : [word];
}

const readScore = (scores: Map<string, number>, holder: string, objective: string): string =>
  scores.has(holder)
    ? `${holder} has ${scores.get(holder)} [${objective}]`
    : `Can't get value of ${objective} for ${holder}; none is set`;

function writeScore(
  scores: Map<string, number>,
  holder: string,
  { verb, amount, objective }: { verb: string; amount: number; objective: string },
): string {
  const before = scores.get(holder) ?? 0;
  const after = { add: before + amount, remove: before - amount }[verb] ?? amount;
  scores.set(holder, after);
  if (verb === 'add') return `Added ${amount} to [${objective}] for ${holder} (now ${after})`;
  if (verb === 'remove') return `Removed ${amount} from [${objective}] for ${holder} (now ${after})`;
  return `Set [${objective}] for ${holder} to ${amount}`;
}
