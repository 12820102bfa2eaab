import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import type { Config, ListingConfig } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { defaultListing } from '../config/resolve.ts';
import { isLoopback } from '../core/address.ts';
import { Problem } from '../core/problem.ts';
import { firstOwner } from '../listing/accounts/first-accounts.ts';
import { startListing } from '../listing/service.ts';
import { createLog } from '../runtime/log.ts';
import { practiceClockIn } from '../runtime/practice-clock.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { logWarnings } from '../runtime/warnings.ts';
import { action, type ExitCode } from './command.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { readPort } from './flags.ts';
import { sampleSignIns } from './listing-samples.ts';
import type { RunParts } from './run.ts';

interface ListingFlags {
  readonly config?: string;
  readonly port?: string;
  readonly samples?: boolean;
  readonly practiceClock?: boolean;
  readonly json?: boolean;
}

const NOTES = `
Without --config and without a ${DEFAULT_CONFIG} it serves with the defaults of the config's "listing". The first start
makes an account that owns what it adds, and shows its password this once.
`;

/** The reference listing service alone, until it is stopped. */
export const listingCommand = (terminal: Terminal, parts: RunParts): Command =>
  new Command('listing')
    .description('run the reference listing service: pages, developer API, webhooks, votes')
    .option('--config <file>', `the config whose "listing" it serves (default: ${DEFAULT_CONFIG}, if there)`)
    .option('--port <port>', 'its port, in place of the config’s; 0 for a free one')
    .option('--samples', 'sample accounts and one listing of each kind, to practise with')
    .option('--practice-clock', 'time can be moved forward at /practice/clock')
    .option('--json', 'for scripts: the log is JSON at a terminal, too; the ready line always is')
    .addHelpText('after', NOTES)
    .action(action(terminal, (flags: ListingFlags) => serve(flags, terminal, parts)));

async function serve(flags: ListingFlags, terminal: Terminal, parts: RunParts): Promise<ExitCode> {
  const { listing: config, level, format } = await configOf(flags);
  const log = createLog(level, terminal, flags.json === true ? 'json' : format);
  logWarnings(log);
  const folder = dirname(config.database);
  if (flags.practiceClock === true && !isLoopback(config.host)) {
    throw new Problem(
      'practice-clock-refused',
      `others can reach ${config.host}, and anybody who does can move the practice clock; use 127.0.0.1`,
    );
  }
  const practiceClock = flags.practiceClock === true ? practiceClockIn(folder, parts.clock) : null;
  const environment = { clock: practiceClock ?? parts.clock, random: parts.random, log, practiceClock };
  const service = await startListing(config, environment);
  const { accounts, store } = service.accounts;
  const owner = await firstOwner({ accounts, store, random: parts.random });
  if (owner !== null) {
    terminal.err(`sign in as ${owner.account.name}, password ${owner.password} (shown this once)`);
  }
  if (flags.samples === true) {
    for (const line of await sampleSignIns(service, folder, environment)) terminal.err(line);
  }
  // Whoever reads that it is ready may end it at once.
  const stopped = parts.stopped();
  terminal.out(JSON.stringify({ msg: 'ready', listing: { url: service.url } }));
  await stopped;
  await service.close();
  return 0;
}

interface Served {
  readonly listing: ListingConfig;
  readonly level: Config['log']['level'];
  readonly format: Config['log']['format'];
}

/** Of the listener's secrets it needs none, so they may be missing. */
async function configOf({ config: configFlag, port: portFlag }: ListingFlags): Promise<Served> {
  const file = resolve(configFlag ?? DEFAULT_CONFIG);
  const isThere = configFlag !== undefined || existsSync(file);
  const config = isThere ? await loadConfig(file, { missingSecrets: 'defer' }) : null;
  const listing = config?.listing ?? defaultListing(dirname(file));
  const port = portFlag === undefined ? listing.port : readPort('--port', portFlag);
  const { level, format } = config?.log ?? ({ level: 'info', format: 'auto' } as const);
  return { listing: { ...listing, port }, level, format };
}
