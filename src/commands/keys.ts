import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { shownService } from '../core/service-name.ts';
import { type ListingKeys, listingKeys } from '../operator/keys/listing-keys.ts';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/random.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { askAtTerminal } from './confirm.ts';
import { type KeysTools, rotateRsaCommand, rotateTokenCommand } from './keys-rotate.ts';
import { noteOlderConfig } from './older-config.ts';

const systemTools: KeysTools = { clock: systemClock, random: systemRandom, ask: askAtTerminal };

export const keysCommand = (terminal: Terminal, tools: KeysTools = systemTools) =>
  new Command('keys')
    .description('show what to paste at each listing; the only command that shows secrets')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, async ({ config, json = false }) =>
        // An RCON password that is missing in this shell does not matter here.
        showKeys(terminal, await loadConfig(config, { missingSecrets: 'defer' }), json),
      ),
    )
    .addCommand(
      new Command('rotate')
        .description('replace the RSA pair, or the token of a site')
        .addCommand(rotateRsaCommand(terminal, tools))
        .addCommand(rotateTokenCommand(terminal, tools)),
    );

async function showKeys(terminal: Terminal, config: Config, json: boolean): Promise<ExitCode> {
  await noteOlderConfig(config, terminal, json);
  const keys = await listingKeys(config);
  if (json) printJson(terminal, keys.sites);
  else printForPasting(terminal, keys);
  return keys.sites.every(({ problem }) => problem === null) ? 0 : 1;
}

function printForPasting(terminal: Terminal, { port, acceptsV2, publicKey, sites }: ListingKeys): void {
  terminal.out('Host: the public address of this machine');
  terminal.out(
    port === 0 ? 'Port: a different one at each start; set listener.port to choose one' : `Port: ${port}`,
  );
  if (acceptsV2) {
    terminal.out('');
    terminal.out('Votifier v2: the token of each site; `default` is for every other listing');
    printTable(terminal, [
      ['SITE', 'TOKEN'],
      ...sites.map(({ site, token, problem }) => [shownService(site), token ?? `(${problem})`]),
    ]);
  }
  if (publicKey !== null) {
    terminal.out('');
    terminal.out('Votifier v1: the public key, the same for every listing');
    terminal.out(publicKey);
  }
}
