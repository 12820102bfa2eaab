import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { editorOf, rewriteConfig } from '../config/edit.ts';
import { createFirstConfig } from '../config/first-start.ts';
import { loadConfig } from '../config/load.ts';
import { requirePracticeOnly } from '../config/practice-only.ts';
import type { Console } from '../console/console.ts';
import { publicPaths } from '../listing/public/paths.ts';
import { SERVICE_NAME } from '../listing/site.ts';
import { type Loop, startLoop } from '../main/loop.ts';
import { startControl } from '../operator/control/control.ts';
import { createLog } from '../platform/log.ts';
import { practiceClockIn } from '../platform/practice-clock.ts';
import type { Terminal } from '../platform/terminal.ts';
import { logWarnings } from '../platform/warnings.ts';
import { deliverySentence } from '../practice/webhook-tools/sentence.ts';
import { type ExitCode, type FlagsOf, service } from './command.ts';
import { Command } from './commander.ts';
import { readPort } from './flags.ts';
import { keptSamples, signInLines } from './listing-samples.ts';
import { type RunParts, readyLine } from './run.ts';
import { serveConsole } from './serve-console.ts';
import { withTypedCommands } from './typed-commands.ts';
import { typedOnMachine } from './typed-on-machine.ts';

const FOLDER = join('data', 'loop');

const NOTES = `
Everything it uses is in ${FOLDER}. It never touches your config or your ledger, and pays only practice game servers.
`;

const newCommand = () =>
  new Command('loop')
    .description(
      'run everything on this machine for practice, with sample data: vote on a page and see the reward arrive',
    )
    .option('--port <port>', 'the port of the pages (default: 8190); 0 for a free one')
    .option('--listener-port <port>', 'the port of the listener (default: 8192); 0 for a free one')
    .option('--console-port <port>', 'the port of the console (default: 8193); 0 for a free one')
    .option('--v1', 'send votes to the listener with protocol version 1 (RSA) instead of 2 (token)')
    .option('--json', 'log as JSON even at a terminal; the ready line is always JSON')
    .addHelpText('after', NOTES);

type LoopFlags = FlagsOf<typeof newCommand>;

/** Runs the whole loop on one machine: listing service, listener, practice server and webhook receiver. */
export const loopCommand = (terminal: Terminal, parts: RunParts) =>
  newCommand().action(
    service(terminal, (unblocked, flags) => {
      const folder = resolve(FOLDER);
      return withTypedCommands(null, unblocked, parts, (same) => runLoop(folder, flags, unblocked, same));
    }),
  );

async function runLoop(
  folder: string,
  flags: LoopFlags,
  terminal: Terminal,
  parts: RunParts,
): Promise<ExitCode> {
  const { file } = await configIn(folder, parts);
  const load = async (): Promise<Config> => {
    const loaded = await loadConfig(file);
    requirePracticeOnly(loaded);
    return withPorts(loaded, flags);
  };
  const config = await load();
  const clock = practiceClockIn(dirname(config.ledger), parts.clock);
  const format = flags.json === true ? 'json' : config.log.format;
  const log = createLog(config.log.level, terminal, format, () => clock.now());
  logWarnings(log);
  const { random } = parts;
  const loop = await startLoop(config, {
    ...{ clock, random, log, protocol: flags.v1 === true ? 'v1' : 'v2' },
    samples: (service) => keptSamples(service, folder, { clock, random }),
    onDelivery: ({ signature, again, answered, ...facts }) => {
      const sentence = deliverySentence(facts, signature, again, answered ?? 200);
      log.info({ code: 'webhook-received', signature, event: facts.eventId }, `webhook ${sentence}`);
    },
  });
  const { listing, receiver, app } = loop;
  const control = await startControl({ app, load, clock, log });
  parts.onReloadAsked?.(() => void control.reload());
  // Before the list of what to open, in which it is the first.
  const command = typedOnMachine(parts.teller, file);
  const served = await serveConsole({
    ...{ teller: app, control, clock, random, log, metrics: null, command },
  });
  for (const line of whatToOpen(loop, served, command)) terminal.err(line);
  // A reader of the ready line may stop the process at once.
  const stopped = parts.stopped();
  const ready = { ...readyLine(config, app), listing: { url: listing.url }, sink: { url: receiver.url } };
  terminal.out(JSON.stringify(ready));
  const failure = await Promise.race([stopped.then(() => null), app.failed, listing.failed]);
  await served?.close();
  await control.close();
  await loop.close();
  if (failure !== null) throw failure;
  return 0;
}

/** The loop's own config, created at the first start, with a site entry for the listing service. */
async function configIn(folder: string, { random }: RunParts): Promise<Config> {
  const isFirst = !existsSync(join(folder, 'config.json'));
  const { file } = await createFirstConfig(folder, random);
  if (isFirst) {
    const text = await readFile(file, 'utf8');
    await rewriteConfig(file, editorOf(file).withValue(text, ['sites', SERVICE_NAME], {}));
  }
  return loadConfig(file);
}

/** Only on loopback, even if the config has another host, because votes are accepted from anyone. */
const withPorts = (config: Config, { port, listenerPort, consolePort }: LoopFlags): Config => ({
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
  console: {
    ...config.console,
    host: '127.0.0.1',
    ...(consolePort === undefined ? {} : { port: readPort('--console-port', consolePort) }),
  },
});

/** @param served null: there is no console. */
const whatToOpen = (
  { listing, samples, minecraft }: Loop,
  served: Console | null,
  command: (words: string) => string,
): string[] => [
  'The loop is running, with sample data only. Open in a browser:',
  ...(served === null ? [] : [`  console      ${served.link} (works once)`]),
  `  vote         ${listing.url}${publicPaths.listing(minecraft.id)}`,
  `  dashboard    ${listing.url}/dashboard/${minecraft.id}`,
  `  time         ${listing.url}/practice/clock`,
  '',
  'Sign in with one of these accounts (role, name, password):',
  ...signInLines(samples),
  '',
  'After voting for Steve, type in another terminal:',
  `  ${command('practice inventory Steve')}`,
  `  ${command('explain Steve')}`,
  '',
];
