import { loadConfig } from '../config/load.ts';
import { type WrittenPack, writeDatapack } from '../operator/datapack.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';

export const datapackCommand = (terminal: Terminal) =>
  new Command('datapack')
    .description('write a datapack with which /trigger vote shows the vote links and the player’s figures')
    .requiredOption('--minecraft <version>', 'the version of the game server, such as 1.21.6')
    .requiredOption('--out <folder>', 'where to write it, such as world/datapacks/teller')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, async ({ minecraft, out, config, json }) => {
        const written = await writeDatapack(await loadConfig(config), minecraft, out);
        if (json === true) terminal.out(JSON.stringify(written));
        else for (const line of linesOf(written)) terminal.out(line);
        return 0;
      }),
    );

function* linesOf({ folder, links, hasDialog, publish }: WrittenPack): Generator<string> {
  yield `Written to ${folder}: /trigger vote shows ${links.map(({ name }) => name).join(', ')}.`;
  yield hasDialog
    ? 'Restart the game server: it reads dialogs only when it starts.'
    : 'Type reload in the console of the game server.';
  if (publish === null) return;
  yield 'For the player’s figures, add this to publish in the config, and type teller reload:';
  yield JSON.stringify(publish);
}
