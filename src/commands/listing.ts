import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config, ListingConfig } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { defaultListing } from '../config/resolve.ts';
import { isLoopback } from '../core/address.ts';
import { Problem } from '../core/problem.ts';
import { firstOwner } from '../listing/accounts/first-accounts.ts';
import { startListing } from '../listing/service.ts';
import { createLog } from '../platform/log.ts';
import { practiceClockIn } from '../platform/practice-clock.ts';
import type { Terminal } from '../platform/terminal.ts';
import { logWarnings } from '../platform/warnings.ts';
import { type ExitCode, type FlagsOf, service } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { readPort } from './flags.ts';
import { sampleSignIns } from './listing-samples.ts';
import type { RunParts } from './run.ts';

const NOTES = `
Without --config and without a ${DEFAULT_CONFIG}, it uses the defaults of "listing" in the config. The first start
creates an account that can add listings, and shows its password once.
`;

const newCommand = () =>
  new Command('listing')
    .description('run the reference listing service: pages, developer API, webhooks, votes')
    .option(
      '--config <file>',
      `the config file with the "listing" settings (default: ${DEFAULT_CONFIG}, if it exists)`,
    )
    .option('--port <port>', 'the port, instead of the one in the config; 0 for a free one')
    .option('--samples', 'add sample accounts and one sample listing of each kind')
    .option('--practice-clock', 'let anyone move the time forward at /practice/clock')
    .option('--json', 'log as JSON even at a terminal; the ready line is always JSON')
    .addHelpText('after', NOTES);

type ListingFlags = FlagsOf<typeof newCommand>;

/** Runs only the reference listing service, until it is stopped. */
export const listingCommand = (terminal: Terminal, parts: RunParts) =>
  newCommand().action(service(terminal, (unblocked, flags) => serve(flags, unblocked, parts)));

async function serve(flags: ListingFlags, terminal: Terminal, parts: RunParts): Promise<ExitCode> {
  const { listing: config, level, format } = await configOf(flags);
  const folder = dirname(config.database);
  if (flags.practiceClock === true && !isLoopback(config.host)) {
    throw new Problem(
      'practice-clock-refused',
      `others can reach ${config.host} and could move the practice clock; set listing.host to 127.0.0.1`,
    );
  }
  const practiceClock = flags.practiceClock === true ? practiceClockIn(folder, parts.clock) : null;
  const clock = practiceClock ?? parts.clock;
  const log = createLog(level, terminal, flags.json === true ? 'json' : format, () => clock.now());
  logWarnings(log);
  const environment = { clock, random: parts.random, log, practiceClock };
  // A signal that comes while it starts is obeyed when it has started.
  const stopped = parts.stopped();
  const service = await startListing(config, environment);
  const { accounts, store } = service.accounts;
  const owner = await firstOwner({ accounts, store, random: parts.random });
  if (owner !== null) {
    terminal.err(`sign in as ${owner.account.name} with the password ${owner.password} (shown only once)`);
  }
  if (flags.samples === true) {
    for (const line of await sampleSignIns(service, folder, environment)) terminal.err(line);
  }
  // A reader of the ready line may stop the process at once.
  terminal.out(JSON.stringify({ msg: 'ready', listing: { url: service.url } }));
  const failure = await Promise.race([stopped.then(() => null), service.failed]);
  await service.close();
  if (failure !== null) throw failure;
  return 0;
}

interface Served {
  readonly listing: ListingConfig;
  readonly level: Config['log']['level'];
  readonly format: Config['log']['format'];
}

/** The listener's secrets are not needed, so they may be missing. */
async function configOf({ config: configFlag, port: portFlag }: ListingFlags): Promise<Served> {
  const file = resolve(configFlag ?? DEFAULT_CONFIG);
  const isThere = configFlag !== undefined || existsSync(file);
  const config = isThere ? await loadConfig(file, { missingSecrets: 'defer' }) : null;
  const listing = config?.listing ?? defaultListing(dirname(file));
  const port = portFlag === undefined ? listing.port : readPort('--port', portFlag);
  const { level, format } = config?.log ?? ({ level: 'info', format: 'auto' } as const);
  return { listing: { ...listing, port }, level, format };
}
