import type { CommandLine } from './command-line.ts';
import { type Game, type GameCommand, targets } from './game.ts';
import { isWithin, parseRange } from './range.ts';
import { scoreHolders } from './scoreboard.ts';
import { dimensionNamed } from './travel-commands.ts';
import type { Player } from './world.ts';

/** For whom and where the rest of the line runs. */
interface Context {
  selves: readonly (Player | null)[];
  dimension: string;
  /** After `as` and `at` the game is silent about a test that fails: it runs the rest for any number of entities. */
  isForked: boolean;
}

/** What a test found, or the game's error message. */
type Found = { readonly count: number; readonly isCounted: boolean } | string;

/** The parts of `execute` that rewards, reminders and presence use: as, at, in, if and unless entity or score, run. */
export const execute: GameCommand = (line, game) => {
  const context: Context = { selves: [game.self], dimension: game.dimension, isForked: false };
  for (;;) {
    const part = line.word();
    if (part === 'run') {
      const command = line.rest();
      return run(command, line, game, context);
    }
    const answer = answerTo(part, line, game, context);
    if (answer !== null) return answer;
  }
};

/** The game reads the whole line first, so a command that it does not know is a fault for no player too. */
function run(command: string, line: CommandLine, game: Game, { selves, dimension }: Context): string {
  if (!game.knows(command)) return line.incomplete();
  const replies = selves.map((self) => game.run(command, self, dimension));
  return replies.find((reply) => reply.endsWith('<--[HERE]')) ?? replies.join('');
}

/** Reads one part, and changes the context. @returns the reply if the line ends with it. */
function answerTo(part: string, line: CommandLine, game: Game, context: Context): string | null {
  switch (part) {
    case 'as':
    case 'at': {
      const who = line.word();
      context.isForked = true;
      if (part === 'as') context.selves = forEach(context, game).flatMap((each) => targets(who, each));
      return null;
    }
    case 'in': {
      const word = line.word();
      const dimension = dimensionNamed(word);
      if (dimension === null) return `Unknown dimension '${word.includes(':') ? word : `minecraft:${word}`}'`;
      context.dimension = dimension;
      return null;
    }
    case 'if':
    case 'unless':
      return test(part, line, game, context);
    default:
      return line.incomplete();
  }
}

const forEach = ({ selves, dimension }: Context, game: Game): readonly Game[] =>
  selves.map((self) => ({ ...game, self, dimension }));

function test(part: 'if' | 'unless', line: CommandLine, game: Game, context: Context): string | null {
  const found = testOf(line.word(), line, forEach(context, game));
  if (typeof found === 'string') return found;
  if (line.atEnd) return verdict(part, found, context);
  if (found.count > 0 !== (part === 'if')) context.selves = [];
  return null;
}

function testOf(what: string, line: CommandLine, games: readonly Game[]): Found {
  if (what === 'entity') {
    const who = line.word();
    return { count: Math.max(0, ...games.map((game) => targets(who, game).length)), isCounted: true };
  }
  return what === 'score' ? scoreTest(line, games) : line.incorrect();
}

/** `execute if score Alex votes matches 5..` */
function scoreTest(line: CommandLine, games: readonly Game[]): Found {
  const who = line.word();
  const objective = line.word();
  const comparison = line.word();
  const range = parseRange(line.word());
  if (comparison === '') return line.incomplete();
  if (comparison !== 'matches') return line.incorrect();
  if (range === null) return line.fault('Expected value or range of values');
  const [game] = games;
  if (game === undefined) return { count: 0, isCounted: false };
  const scores = game.world.objectives.get(objective);
  if (scores === undefined) return `Unknown scoreboard objective '${objective}'`;
  const isMet = scoreHolders(who, game).some((holder) => isWithin(range, scores.get(holder)));
  return { count: Number(isMet), isCounted: false };
}

function verdict(
  part: 'if' | 'unless',
  { count, isCounted }: Exclude<Found, string>,
  { isForked }: Context,
): string {
  const isPassed = count > 0 === (part === 'if');
  if (!isPassed && isForked) return '';
  const counted = isCounted && count > 0 ? `, count: ${count}` : '';
  return `Test ${isPassed ? 'passed' : 'failed'}${counted}`;
}
