import { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import type { JudgedArrival } from '../core/decide.ts';
import type { Dice } from '../core/dice.ts';
import { Problem } from '../core/problem.ts';
import { seededDice } from '../core/seeded-dice.ts';
import { rulesOf } from '../intake/rules.ts';
import { openLedger } from '../ledger/sqlite-ledger.ts';
import { oddsOf } from '../operator/preview/odds.ts';
import { imaginedVotes, type Preview, previewVote } from '../operator/preview/preview.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { Flags } from './flags.ts';
import { sayOlderConfig } from './older-config.ts';
import { previewJson, printPreview, printTrial, type Trial, trialJson } from './preview-print.ts';

interface PreviewFlags {
  readonly site?: string;
  readonly at?: string;
  readonly ledger?: string;
  readonly votes?: string;
  readonly seed?: string;
  readonly config: string;
  readonly json?: boolean;
}

interface Tools {
  readonly clock: Clock;
  readonly dice: Dice;
}

const VOTES_MAX = 1_000_000;
const SEED_MAX = 0xffff_ffff;

export const previewCommand = (terminal: Terminal, tools: Tools): Command =>
  new Command('preview')
    .description('a dry run: the exact commands that a vote of this player would pay now')
    .argument('<name>', 'the player; on listings without player names, the user id')
    .option('--site <service>', 'the service name that the vote comes with (default: each in `sites`)')
    .option('--at <time>', 'when it is cast: an ISO date-time (default: now)')
    .option('--ledger <none>', 'none: as if nobody had ever voted')
    .option('--votes <number>', 'try so many votes and show how often each reward is paid')
    .option('--seed <number>', 'draws the chances: the same seed draws the same')
    .option(...CONFIG_FLAG)
    .option('--json', 'for scripts')
    .action(action(terminal, (name: string, flags: PreviewFlags) => preview(name, flags, terminal, tools)));

async function preview(
  name: string,
  written: PreviewFlags,
  terminal: Terminal,
  { clock, dice }: Tools,
): Promise<ExitCode> {
  const { at, votes, seed } = readFlags(written, clock, dice);
  const config = await loadConfig(written.config, { missingSecrets: 'defer' });
  await sayOlderConfig(config, terminal, written.json);
  const arrivals = imaginedVotes(name, written.site, at, config);
  if (votes === undefined) {
    const previews = await previewAll(
      arrivals,
      config,
      written.ledger === 'none',
      written.seed === undefined ? undefined : seed,
      clock,
    );
    if (written.json) printJson(terminal, previews.map(previewJson));
    else printEach(terminal, previews, printPreview);
  } else {
    const trials = arrivals.map((arrival) => tryOut(arrival, votes, seed, config));
    if (written.json) printJson(terminal, trials.flatMap(trialJson));
    else printEach(terminal, trials, printTrial);
  }
  return 0;
}

const tryOut = (arrival: JudgedArrival, votes: number, seed: number, config: Config): Trial => ({
  service: arrival.vote.service,
  votes,
  seed,
  odds: oddsOf(arrival, votes, rulesOf(config), seededDice(seed)),
});

/** With an empty line between. */
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

function readFlags({ at, ledger, votes, seed }: PreviewFlags, clock: Clock, dice: Dice) {
  const flags = new Flags();
  flags.oneOf('--ledger', ledger, ['none']);
  const read = {
    at: flags.instant('--at', at) ?? clock.now(),
    votes: flags.wholeNumber('--votes', votes, 1, VOTES_MAX),
    seed: flags.wholeNumber('--seed', seed, 0, SEED_MAX) ?? dice.bytes(4).readUInt32BE(),
  };
  flags.done();
  return read;
}

async function previewAll(
  arrivals: readonly JudgedArrival[],
  config: Config,
  isWithoutLedger: boolean,
  seed: number | undefined,
  clock: Clock,
): Promise<readonly Preview[]> {
  const rules = rulesOf(config);
  if (isWithoutLedger) return arrivals.map((arrival) => previewVote(arrival, [], rules, seed));
  const ledger = openToLook(config.ledger, clock);
  try {
    const previews: Preview[] = [];
    for (const arrival of arrivals) {
      const { site, recipient, castAt } = arrival.vote;
      const history = await ledger.rewardedSince(site, recipient, castAt - arrival.cooldownMs);
      previews.push(previewVote(arrival, history, rules, seed));
    }
    return previews;
  } finally {
    ledger.close();
  }
}

function openToLook(file: string, clock: Clock) {
  try {
    return openLedger(file, 'read', clock);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'ledger-missing') throw error;
    throw new Problem(error.code, `${error.message} With --ledger none a preview needs none.`);
  }
}
