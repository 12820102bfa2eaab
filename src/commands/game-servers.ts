import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import type { Terminal } from '../platform/terminal.ts';
import { Command } from './commander.ts';
import { type Ask, askAtTerminal } from './confirm.ts';
import { type AskSecret, askSecretAtTerminal, gameServersAddCommand } from './game-servers-add.ts';

interface Tools {
  readonly clock: Clock;
  readonly random: Random;
}

export const gameServersCommand = (
  terminal: Terminal,
  { clock, random }: Tools,
  ask: Ask = askAtTerminal,
  askSecret: AskSecret = askSecretAtTerminal,
) =>
  new Command('game-servers')
    .description('edit the game servers in the config file')
    .addCommand(gameServersAddCommand({ terminal, clock, random, ask, askSecret }));
