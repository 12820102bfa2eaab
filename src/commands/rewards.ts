import type { Clock } from '../core/clock.ts';
import type { Terminal } from '../platform/terminal.ts';
import { Command } from './commander.ts';
import { rewardsListCommand } from './rewards-list.ts';
import { rewardsTestCommand } from './rewards-test.ts';

export const rewardsCommand = (terminal: Terminal, clock: Clock) =>
  new Command('rewards')
    .description('say what votes earn, or try it out')
    .addCommand(rewardsListCommand(terminal, clock))
    .addCommand(rewardsTestCommand(terminal, clock));
