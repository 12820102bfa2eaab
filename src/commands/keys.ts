import { Command } from 'commander';
import { publicKeyText } from '../../protocol/votifier/key-text.ts';
import type { Config } from '../config/config.ts';
import { readKeyPair } from '../config/keys.ts';
import { loadConfig } from '../config/load.ts';
import { shownService } from '../core/service-name.ts';
import { systemClock } from '../runtime/clock.ts';
import { systemDice } from '../runtime/dice.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { askAtTerminal } from './confirm.ts';
import { type KeysTools, rotateRsaCommand, rotateTokenCommand } from './keys-rotate.ts';
import { sayOlderConfig } from './older-config.ts';

const systemTools: KeysTools = { clock: systemClock, dice: systemDice, ask: askAtTerminal };

export const keysCommand = (terminal: Terminal, tools: KeysTools = systemTools): Command =>
  new Command('keys')
    .description('what to paste at each listing; the only command that shows secrets')
    .option(...CONFIG_FLAG)
    .option('--json', 'for scripts')
    .action(
      action(terminal, async ({ config, json = false }: { config: string; json?: boolean }) =>
        // An RCON password that this shell does not have is of no concern here.
        showKeys(terminal, await loadConfig(config, { missingSecrets: 'defer' }), json),
      ),
    )
    .addCommand(
      new Command('rotate')
        .description('replace the RSA pair, or the token of a site')
        .addCommand(rotateRsaCommand(terminal, tools))
        .addCommand(rotateTokenCommand(terminal, tools)),
    );

/** What one listing needs; null where its protocol is switched off or nothing is set. */
interface SiteKeys {
  readonly site: string;
  readonly token: string | null;
  /** Why there is no token. */
  readonly problem: string | null;
  readonly publicKey: string | null;
  readonly port: number;
}

async function showKeys(terminal: Terminal, config: Config, json: boolean): Promise<ExitCode> {
  await sayOlderConfig(config, terminal, json);
  const { protocols, port } = config.listener;
  const publicKey = protocols.includes('v1')
    ? publicKeyText((await readKeyPair(config.keys)).publicKey)
    : null;
  const rows = [...config.sites].map(([site, { token }]): SiteKeys => {
    if (!protocols.includes('v2')) return { site, token: null, problem: null, publicKey, port };
    const problem = token === null ? 'no token is set' : token.missing;
    return {
      site,
      token: problem === null && token !== null ? token.reveal() : null,
      problem,
      publicKey,
      port,
    };
  });
  if (json) printJson(terminal, rows);
  else printForPasting(terminal, config, rows, publicKey);
  return rows.every(({ problem }) => problem === null) ? 0 : 1;
}

function printForPasting(
  terminal: Terminal,
  { listener: { protocols, port } }: Config,
  rows: readonly SiteKeys[],
  publicKey: string | null,
): void {
  terminal.out("Host: this machine's public address, as players and listings reach it");
  terminal.out(port === 0 ? 'Port: a new one at each start; set listener.port' : `Port: ${port}`);
  if (protocols.includes('v2')) {
    terminal.out('');
    terminal.out('Votifier v2: the token of the site (`default` for every other listing)');
    printTable(terminal, [
      ['SITE', 'TOKEN'],
      ...rows.map(({ site, token, problem }) => [shownService(site), token ?? `(${problem})`]),
    ]);
  }
  if (publicKey !== null) {
    terminal.out('');
    terminal.out('Votifier v1: the public key, the same for every listing');
    terminal.out(publicKey);
  }
}
