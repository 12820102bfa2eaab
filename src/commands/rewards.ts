import type { Clock } from '../core/clock.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { Command } from './commander.ts';
import { rewardsTestCommand } from './rewards-test.ts';

export const rewardsCommand = (terminal: Terminal, clock: Clock) =>
  new Command('rewards')
    .description('try out what votes earn')
    .addCommand(rewardsTestCommand(terminal, clock));
