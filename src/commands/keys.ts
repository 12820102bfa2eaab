import { shownService } from '../core/service-name.ts';
import type { ConfigInUse } from '../operator/config-in-use.ts';
import { type ListingKeys, listingKeys } from '../operator/keys/listing-keys.ts';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/random.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { type KeysTools, rotateRsaCommand, rotateTokenCommand } from './keys-rotate.ts';
import { noteOlderConfig } from './older-config.ts';
import { readConfig } from './with-ledger.ts';

const systemTools: KeysTools = { clock: systemClock, random: systemRandom };

export const keysCommand = (terminal: Terminal, tools: KeysTools = systemTools) =>
  new Command('keys')
    .description('show what to paste at each listing; the only command that shows secrets')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, async ({ config, json = false }) =>
        showKeys(terminal, await readConfig(config, terminal, tools.clock), json),
      ),
    )
    .addCommand(
      new Command('rotate')
        .description('replace the RSA pair, or the token of a site')
        .addCommand(rotateRsaCommand(terminal, tools))
        .addCommand(rotateTokenCommand(terminal, tools)),
    );

async function showKeys(
  terminal: Terminal,
  { config, listening }: ConfigInUse,
  json: boolean,
): Promise<ExitCode> {
  await noteOlderConfig(config, terminal, json);
  const port = listening?.port ?? config.listener.port;
  const keys = await listingKeys({ ...config, listener: { ...config.listener, port } });
  if (json) printJson(terminal, keys.sites);
  else printForPasting(terminal, keys, config.listener.port === 0);
  return keys.sites.every(({ problem }) => problem === null) ? 0 : 1;
}

function printForPasting(
  terminal: Terminal,
  { port, acceptsV2, publicKey, sites }: ListingKeys,
  isTemporary: boolean,
): void {
  terminal.out('Host: the public address of this machine');
  const now = port === 0 ? 'a different one at each start' : `${port} until Teller stops`;
  terminal.out(isTemporary ? `Port: ${now}; set listener.port to choose one` : `Port: ${port}`);
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
