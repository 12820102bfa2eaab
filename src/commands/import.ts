import { Command } from 'commander';
import { type Takeover, takeOver } from '../config/take-over.ts';
import { type PluginSetup, readVotifierPlugin } from '../config/votifier-plugin.ts';
import type { Dice } from '../core/dice.ts';
import { systemDice } from '../runtime/dice.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';

export const importCommand = (terminal: Terminal, dice: Dice = systemDice): Command =>
  new Command('import')
    .description('take over the keys, tokens and port of another listener, so that no listing needs new ones')
    .addCommand(nuvotifierCommand(terminal, dice));

interface ImportOptions {
  readonly config: string;
  readonly json?: boolean;
}

const nuvotifierCommand = (terminal: Terminal, dice: Dice): Command =>
  new Command('nuvotifier')
    .description("from a NuVotifier plugin's folder; existing keys and tokens are never overwritten")
    .argument('<dir>', "the plugin's folder, or the server's")
    .option('--config <file>', 'the config; a first one is made where there is none', DEFAULT_CONFIG)
    .option('--json', 'for scripts')
    .action(
      action(terminal, async (dir: string, { config, json = false }: ImportOptions): Promise<ExitCode> => {
        const setup = await readVotifierPlugin(dir);
        const takeovers = await takeOver(setup, config, dice);
        if (json) printJson(terminal, takeovers);
        else printTakeovers(terminal, setup, takeovers);
        return takeovers.some(({ result }) => result === 'kept') ? 1 : 0;
      }),
    );

function printTakeovers(terminal: Terminal, setup: PluginSetup, takeovers: readonly Takeover[]): void {
  terminal.out(`from ${setup.folder}`);
  printTable(
    terminal,
    takeovers.map(({ what, result, sentence }) => [result, what, sentence]),
  );
  for (const line of nextSteps(setup, takeovers)) terminal.err(line);
}

function nextSteps({ pair, tokens, host }: PluginSetup, takeovers: readonly Takeover[]): readonly string[] {
  const isComplete = takeovers.every(({ result }) => result === 'taken' || result === 'same');
  return [
    ...(pair === null
      ? ['The plugin has no RSA pair: v1 votes need the public key that `teller keys` shows.']
      : []),
    ...(tokens.size === 0 ? ['The plugin has no tokens: v2 votes need those that `teller keys` shows.'] : []),
    ...(host === null || host === '0.0.0.0'
      ? []
      : [`The plugin listened on ${host} only; for the same here set listener.host.`]),
    ...(isComplete && pair !== null ? ['No listing needs a new key or token.'] : []),
    'Next: remove the plugin from the game server, so that the port is free, then `teller run`.',
  ];
}
