import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { rewriteConfig, withValue } from '../config/edit.ts';
import { createFirstConfig } from '../config/first-start.ts';
import { loadConfig } from '../config/load.ts';
import { requirePracticeOnly } from '../config/practice-only.ts';
import { startControl } from '../control/control.ts';
import { publicPaths } from '../listing/public/paths.ts';
import { SERVICE_NAME } from '../listing/site.ts';
import { type Loop, startLoop } from '../loop.ts';
import { createLog } from '../runtime/log.ts';
import { practiceClockIn } from '../runtime/practice-clock.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { logWarnings } from '../runtime/warnings.ts';
import { deliverySentence } from '../webhook-tools/sentence.ts';
import { action, type ExitCode } from './command.ts';
import { readPort } from './flags.ts';
import { keptSamples, signInLines } from './listing-samples.ts';
import { type RunParts, readyLine } from './run.ts';

interface LoopFlags {
  readonly port?: string;
  readonly listenerPort?: string;
  readonly v1?: boolean;
  readonly json?: boolean;
}

const FOLDER = join('data', 'loop');

const NOTES = `
Everything it needs and keeps is in ${FOLDER}: never your config, never your ledger, only practice game servers.
`;

/** The whole loop on one machine: listing service, listener, practice server and webhook receiver. */
export const loopCommand = (terminal: Terminal, parts: RunParts): Command =>
  new Command('loop')
    .description('run everything wired together to practise: vote on a page, see it paid')
    .option('--port <port>', 'of the pages, in place of 8190; 0 for a free one')
    .option('--listener-port <port>', 'of the listener, in place of 8192; 0 for a free one')
    .option('--v1', 'votes reach the listener by protocol version 1 (RSA) in place of 2 (token)')
    .option('--json', 'for scripts: the log is JSON at a terminal, too; the ready line always is')
    .addHelpText('after', NOTES)
    .action(action(terminal, (flags: LoopFlags) => runLoop(flags, terminal, parts)));

async function runLoop(flags: LoopFlags, terminal: Terminal, parts: RunParts): Promise<ExitCode> {
  const folder = resolve(FOLDER);
  const { file } = await configIn(folder, parts);
  const load = async (): Promise<Config> => {
    const loaded = await loadConfig(file);
    requirePracticeOnly(loaded);
    return withPorts(loaded, flags);
  };
  const config = await load();
  const log = createLog(config.log.level, terminal, flags.json === true ? 'json' : config.log.format);
  logWarnings(log);
  const clock = practiceClockIn(dirname(config.ledger), parts.clock);
  const { random } = parts;
  const loop = await startLoop(config, {
    ...{ clock, random, log, protocol: flags.v1 === true ? 'v1' : 'v2' },
    samples: (service) => keptSamples(service, folder, { clock, random }),
    onDelivery: ({ signature, again, answered, ...facts }) => {
      const sentence = deliverySentence(facts, signature, again, answered ?? 200);
      log.info({ code: 'webhook-received', signature, event: facts.eventId }, `webhook ${sentence}`);
    },
  });
  for (const line of whatToOpen(loop, config, parts.teller)) terminal.err(line);
  const control = await startControl({ app: loop.app, load, clock: parts.clock, log });
  parts.onReloadAsked?.(() => void control.reload());
  // A reader of the ready line may stop it at once.
  const stopped = parts.stopped();
  const { listing, receiver, app } = loop;
  const ready = { ...readyLine(config, app), listing: { url: listing.url }, sink: { url: receiver.url } };
  terminal.out(JSON.stringify(ready));
  await stopped;
  await control.close();
  await loop.close();
  return 0;
}

/** Its own, made at the first start, in which the listing service has a site entry of its own. */
async function configIn(folder: string, { random }: RunParts): Promise<Config> {
  const isFirst = !existsSync(join(folder, 'config.json'));
  const { file } = await createFirstConfig(folder, random);
  if (isFirst) {
    const text = await readFile(file, 'utf8');
    await rewriteConfig(file, withValue(text, ['sites', SERVICE_NAME], {}));
  }
  return loadConfig(file);
}

/** On loopback alone, whatever the config says of the listener: anybody's votes are practice here. */
const withPorts = (config: Config, { port, listenerPort }: LoopFlags): Config => ({
  ...config,
  listener: {
    ...config.listener,
    host: '127.0.0.1',
    ...(listenerPort === undefined ? {} : { port: readPort('--listener-port', listenerPort) }),
  },
  listing: {
    ...config.listing,
    host: '127.0.0.1',
    ...(port === undefined ? {} : { port: readPort('--port', port) }),
  },
});

const whatToOpen = ({ listing, samples, minecraft }: Loop, config: Config, teller: string): string[] => {
  const file = relative(process.cwd(), config.file);
  return [
    'The loop runs, with sample data only. Open in a browser:',
    `  vote         ${listing.url}${publicPaths.listing(minecraft.id)}`,
    `  dashboard    ${listing.url}/dashboard/${minecraft.id}`,
    `  time         ${listing.url}/practice/clock`,
    '',
    'Sign in as (name, password):',
    ...signInLines(samples),
    '',
    'After a vote for Steve, from another terminal:',
    `  ${teller} practice inventory Steve --config ${file}`,
    `  ${teller} explain Steve --config ${file}`,
    '',
  ];
};
