import { type Config, zoneOf } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import { Problem } from '../core/problem.ts';
import { rulesOf } from '../intake/rules.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/sqlite/in-process.ts';
import { hypotheticalVotes, type VoteRefused } from '../operator/preview/hypothetical-votes.ts';
import { tryVotes } from '../operator/preview/odds.ts';
import { previewVotes } from '../operator/preview/preview.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { Flags } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { previewJson, printPreview, printTrial, trialJson } from './preview-print.ts';

interface Tools {
  readonly clock: Clock;
  readonly random: Random;
}

const VOTES_MAX = 1_000_000;
const SEED_MAX = 0xffff_ffff;

const newCommand = () =>
  new Command('preview')
    .description('dry run: show the exact commands that a vote by this player would run now')
    .argument('<name>', 'the player; on listings without player names, the user ID')
    .option('--site <service>', 'the service name of the vote (default: each in `sites`)')
    .option('--at <time>', 'when the vote is cast: an ISO date-time (default: now)')
    .option('--ledger <none>', 'none: ignore the ledger, as if nobody had ever voted')
    .option('--votes <number>', 'simulate this many votes and show how often each reward is paid')
    .option('--seed <number>', 'seed for drawing chances; the same seed gives the same draws')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts');

type PreviewFlags = FlagsOf<typeof newCommand>;

export const previewCommand = (terminal: Terminal, tools: Tools) =>
  newCommand().action(action(terminal, (name, flags) => preview(name, flags, terminal, tools)));

async function preview(
  name: string,
  written: PreviewFlags,
  terminal: Terminal,
  { clock, random }: Tools,
): Promise<ExitCode> {
  const { at, votes, seed } = readFlags(written, clock, random);
  const config = await loadConfig(written.config, { missingSecrets: 'defer' });
  await noteOlderConfig(config, terminal, written.json);
  const imagined = hypotheticalVotes(name, written.site, at, config);
  if (imagined.kind === 'refused') throw refused(imagined);
  const { arrivals } = imagined;
  const rules = rulesOf(config, zoneOf(config, clock));
  if (votes === undefined) {
    const seedGiven = written.seed === undefined ? undefined : seed;
    const previews = await withHistory(config, written, clock, (ledger) =>
      previewVotes(arrivals, rules, ledger, seedGiven),
    );
    if (written.json) printJson(terminal, previews.map(previewJson));
    else printEach(terminal, previews, printPreview);
  } else {
    const trials = tryVotes(arrivals, votes, seed, rules);
    if (written.json) printJson(terminal, trials.flatMap(trialJson));
    else printEach(terminal, trials, printTrial);
  }
  return 0;
}

const refused = ({ code, cause }: VoteRefused): Problem =>
  new Problem('vote-refused', `such a vote would be refused: its sender ${cause} (${code})`);

/** Prints the items with an empty line between them. */
function printEach<Item>(
  terminal: Terminal,
  items: readonly Item[],
  print: (terminal: Terminal, item: Item) => void,
): void {
  items.forEach((item, at) => {
    if (at > 0) terminal.out('');
    print(terminal, item);
  });
}

function readFlags({ at, ledger, votes, seed }: PreviewFlags, clock: Clock, random: Random) {
  const flags = new Flags();
  flags.oneOf('--ledger', ledger, ['none']);
  const read = {
    at: flags.instant('--at', at) ?? clock.now(),
    votes: flags.wholeNumber('--votes', votes, 1, VOTES_MAX),
    seed: flags.wholeNumber('--seed', seed, 0, SEED_MAX) ?? random.bytes(4).readUInt32BE(),
  };
  flags.done();
  return read;
}

async function withHistory<Result>(
  { ledger: file }: Config,
  { ledger: flag }: PreviewFlags,
  clock: Clock,
  body: (ledger: Ledger | null) => Promise<Result>,
): Promise<Result> {
  if (flag === 'none') return body(null);
  const ledger = await openToLook(file, clock);
  try {
    return await body(ledger);
  } finally {
    await ledger.close();
  }
}

async function openToLook(file: string, clock: Clock): Promise<Ledger> {
  try {
    return await openLedger(file, 'read', { clock });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'ledger-missing') throw error;
    throw new Problem(error.code, `${error.message} Or use --ledger none.`);
  }
}
