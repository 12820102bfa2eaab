import type { CommandLine } from './command-line.ts';
import { type Game, type GameCommand, targets } from './game.ts';
import type { Player } from './world.ts';

/** The parts of `execute` that rewards and presence use: as, at, if entity, unless entity, run. */
export const execute: GameCommand = (line, game) => {
  let selves: (Player | null)[] = [game.self];
  for (;;) {
    const part = line.word();
    switch (part) {
      case 'as':
      case 'at': {
        const who = line.word();
        if (part === 'as') selves = selves.flatMap((self) => targets(who, { ...game, self }));
        break;
      }
      case 'if':
      case 'unless': {
        if (line.word() !== 'entity') return line.incorrect();
        const found = countEntities(line, game, selves);
        if (line.atEnd) return verdict(part, found);
        if (found > 0 !== (part === 'if')) selves = [];
        break;
      }
      case 'run': {
        const command = line.rest();
        return selves.map((self) => game.run(command, self)).join('');
      }
      default:
        return line.incomplete();
    }
  }
};

function countEntities(line: CommandLine, game: Game, selves: readonly (Player | null)[]): number {
  const who = line.word();
  return Math.max(0, ...selves.map((self) => targets(who, { ...game, self }).length));
}

function verdict(part: 'if' | 'unless', found: number): string {
  if (part === 'if') return found > 0 ? `Test passed, count: ${found}` : 'Test failed';
  return found > 0 ? `Test failed, count: ${found}` : 'Test passed';
}
