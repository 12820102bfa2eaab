import path from 'node:path';
import { Command } from 'commander';
import { publicKeyText } from '../../protocol/votifier/key-text.ts';
import type { Config } from '../config/config.ts';
import { rewriteConfig, withValue } from '../config/edit.ts';
import { backUpKeyPair, generateKeyPair, writeKeyPair } from '../config/keys.ts';
import { loadConfig, readConfigText } from '../config/load.ts';
import { freshToken, tokenFileFor, writeTokenFile } from '../config/token-file.ts';
import { tokenPlace } from '../config/token-place.ts';
import type { Clock } from '../core/clock.ts';
import type { Dice } from '../core/dice.ts';
import { isoTime } from '../core/instant.ts';
import { perhapsMeant } from '../core/perhaps.ts';
import { Problem } from '../core/problem.ts';
import { shownService } from '../core/service-name.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { type Ask, agreed } from './confirm.ts';

export interface KeysTools {
  readonly clock: Clock;
  readonly dice: Dice;
  readonly ask: Ask;
}

interface RotateOptions {
  /** This and `json` are options of `keys`, which commander takes in any place. */
  readonly config: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

export const rotateRsaCommand = (terminal: Terminal, tools: KeysTools): Command =>
  new Command('rsa')
    .description('make a new RSA pair; the old one is kept beside it')
    .option('--yes', 'without asking')
    .configureHelp({ showGlobalOptions: true })
    .action(
      action(terminal, async (_: unknown, command: Command) =>
        rotateRsa(terminal, tools, command.optsWithGlobals<RotateOptions>()),
      ),
    );

async function rotateRsa(
  terminal: Terminal,
  { clock, ask }: KeysTools,
  options: RotateOptions,
): Promise<ExitCode> {
  const config = await loadConfig(options.config, { missingSecrets: 'defer' });
  const question =
    'Every listing that sends v1 votes must get the new public key before its votes count again.';
  await agreed(terminal, ask, options.yes === true, `${question} Make a new pair?`);
  const pair = await generateKeyPair();
  const backups = await backUpKeyPair(config.keys, isoTime(clock.now()).replaceAll(/[:.]/g, '-'));
  await writeKeyPair(config.keys, pair);
  const publicKey = publicKeyText(pair.publicKey);
  if (options.json) printJson(terminal, [{ keys: config.keys, publicKey, backups }]);
  else {
    for (const backup of backups) terminal.err(`kept: ${backup}`);
    terminal.err('Paste this public key at every listing that sends v1, and restart Teller:');
    terminal.out(publicKey);
  }
  return 0;
}

export const rotateTokenCommand = (terminal: Terminal, tools: KeysTools): Command =>
  new Command('token')
    .description('make a new token for a site; a site without its own gets one')
    .argument('<site>', 'a key of `sites`')
    .option('--yes', 'without asking')
    .configureHelp({ showGlobalOptions: true })
    .action(
      action(terminal, async (site: string, _: unknown, command: Command) =>
        rotateToken(terminal, tools, site, command.optsWithGlobals<RotateOptions>()),
      ),
    );

async function rotateToken(
  terminal: Terminal,
  { dice, ask }: KeysTools,
  site: string,
  options: RotateOptions,
): Promise<ExitCode> {
  const config = await loadConfig(options.config, { missingSecrets: 'defer' });
  refuseUnknownSite(config, site);
  const text = await readConfigText(options.config);
  const place = tokenPlace(text, config.file, site);
  if (place.kind === 'environment') {
    const sentence = `the token of ${site} is the environment variable ${place.name}; change it there`;
    throw new Problem('token-elsewhere', sentence);
  }
  const sharing = sitesSharingTokenOf(config, site, place.kind === 'none');
  const question = `Votes of ${sharing.map((name) => shownService(name)).join(', ')} are refused until the listing has the new token.`;
  await agreed(terminal, ask, options.yes === true, `${question} Make a new one?`);
  const file = await storeToken(config.file, text, site, freshToken(dice));
  if (options.json) printJson(terminal, [{ site, file, sites: sharing }]);
  else {
    terminal.out(`new token for ${sharing.map((name) => shownService(name)).join(', ')} in ${file}`);
    terminal.err('`teller keys` shows it. Paste it at the listing, and run `teller reload`.');
  }
  return 0;
}

/** Into the file that the config names. A token that stood in the config itself moves out of it into its file. */
async function storeToken(configFile: string, text: string, site: string, token: string): Promise<string> {
  const place = tokenPlace(text, configFile, site);
  if (place.kind === 'file') {
    await writeTokenFile(place.file, token);
    return place.file;
  }
  const relative = tokenFileFor(site);
  const file = path.resolve(path.dirname(configFile), relative);
  await writeTokenFile(file, token);
  await rewriteConfig(configFile, withValue(text, ['sites', site, 'token'], `file:${relative}`));
  return file;
}

function refuseUnknownSite({ sites }: Config, site: string): void {
  if (sites.has(site)) return;
  const meant = perhapsMeant(site, sites.keys());
  const hint =
    meant === null
      ? `add ${JSON.stringify(site)}: {} to \`sites\` first, spelled as the listing spells it`
      : `perhaps you meant '${meant}'`;
  throw new Problem('site-unknown', `'${site}' is not in \`sites\`; ${hint}`);
}

/** A site without its own token stops sharing that of `default`; the token of `default` is everybody's without one. */
function sitesSharingTokenOf({ sites }: Config, site: string, getsItsOwn: boolean): readonly string[] {
  const token = sites.get(site)?.token;
  if ((getsItsOwn && site !== 'default') || token === null) return [site];
  return [...sites].filter(([, other]) => other.token === token).map(([name]) => name);
}
