import { type Config, zoneOf } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { JudgedArrival } from '../core/decide.ts';
import { DAY_MS } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/sqlite/in-process.ts';
import { openTemporaryLedger } from '../ledger/sqlite/temporary.ts';
import { hypotheticalVotes, type VoteRefused } from '../operator/preview/hypothetical-votes.ts';
import { previewVotes } from '../operator/preview/preview.ts';
import { previewTogether, type TogetherPreview } from '../operator/preview/together.ts';
import { SEED_MAX } from '../operator/simulation/examples-file.ts';
import { readHistory } from '../operator/simulation/history-file.ts';
import { steadyVotes } from '../operator/simulation/month/voters.ts';
import { simulateAll } from '../operator/simulation/simulate.ts';
import { VOTES_MAX } from '../operator/simulation/written-votes.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { Rules } from '../rewards/reward.ts';
import { rulesOf } from '../votes/intake/rules.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { Flags } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { previewComing } from './preview-coming.ts';
import { previewMonth, printFigures } from './preview-month.ts';
import { previewJson, printPreview } from './preview-print.ts';
import { printTogetherPreview } from './preview-together-print.ts';
import { readConfig } from './with-ledger.ts';

interface Tools {
  readonly clock: Clock;
  readonly random: Random;
}

const DAYS_MAX = 366;
const VOTERS_MAX = 10_000;

const NOTES = `
Without a name, it simulates the votes of many players on the config's sites in a ledger of their own. A quarter of them votes nearly
everywhere nearly every day, a third on most days and sites, the others now and then; --votes makes it more or fewer votes.
With --month, players vote in the coming month as they did in the last four weeks, and begin with the totals and streaks that they have.
With a name and --votes, it simulates so many votes of this player, each as soon as the site's cooldown is over.
`;

const newCommand = () =>
  new Command('preview')
    .description(
      'dry run: show the exact commands that a vote by this player would run now, or what many votes add up to',
    )
    .argument('[name]', 'the player; on listings without player names, the user ID')
    .option('--site <service>', 'the service name of the vote (default: each in `sites`)')
    .option('--at <time>', 'when the vote is cast: an ISO date-time (default: now)')
    .option(
      '--history <file>',
      'as if only the votes of this file had been cast; they are written as in examples',
    )
    .option('--ledger <none>', 'none: ignore the ledger, as if nobody had ever voted')
    .option('--votes <number>', 'simulate this many votes and show how often each reward is granted')
    .option('--month', 'the coming month, day by day, if players vote as in the last four weeks')
    .option('--days <number>', 'without a name: on how many days players vote (default: 30)')
    .option('--voters <number>', 'without a name: how many players vote (default: 40)')
    .option('--seed <number>', 'seed for drawing chances; the same seed gives the same draws')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .addHelpText('after', NOTES);

type PreviewFlags = FlagsOf<typeof newCommand>;

export const previewCommand = (terminal: Terminal, tools: Tools) =>
  newCommand().action(
    action(terminal, (name, flags) => {
      const read = readFlags(name, flags, tools.random);
      if (flags.month) return previewComing({ ...flags, ...read }, terminal, tools.clock);
      return name === undefined
        ? previewMonth({ ...flags, ...read }, terminal, tools.clock)
        : preview(name, flags, read, terminal, tools.clock);
    }),
  );

async function preview(
  name: string,
  written: PreviewFlags,
  { at: atGiven, votes, seed }: ReadFlags,
  terminal: Terminal,
  systemClock: Clock,
): Promise<ExitCode> {
  const { config, clock } = await readConfig(written.config, terminal, systemClock);
  await noteOlderConfig(config, terminal, written.json);
  const rules = rulesOf(config, zoneOf(config, clock));
  const history = await historyOf(written.history, config, rules);
  const at = timeOf(atGiven, history, clock);
  const imagined = hypotheticalVotes(name, written.site, at, config);
  if (imagined.kind === 'refused') throw refused(imagined);
  const { arrivals } = imagined;
  if (votes === undefined) {
    const options = written.seed === undefined ? {} : { seed };
    const open = () =>
      history === null ? ledgerToLookInto(config, written, clock) : ledgerWith(history, rules, clock);
    const shown = await withLedger(open, async (ledger) => {
      const previews = await previewVotes(arrivals, rules, ledger, options);
      const together = await previewTogether(previews, { rules, tops: config.tops }, ledger);
      return previews.map((preview, place) => [preview, together[place] as TogetherPreview] as const);
    });
    if (written.json)
      printJson(
        terminal,
        shown.map(([preview, together]) => ({ ...previewJson(preview), ...together })),
      );
    else
      printEach(terminal, shown, (to, [preview, together]) => {
        printPreview(to, preview);
        printTogetherPreview(to, together);
      });
  } else {
    const services = arrivals.map(({ vote }) => vote.service);
    const cast = steadyVotes(name, services, votes, at, config);
    await printFigures(
      { cast, rules, tops: config.tops, seed, sites: services.length },
      written.json,
      terminal,
      clock,
    );
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

type ReadFlags = ReturnType<typeof readFlags>;

function readFlags(name: string | undefined, written: PreviewFlags, random: Random) {
  const { at, ledger, votes, days, voters, seed } = written;
  const flags = new Flags();
  flags.oneOf('--ledger', ledger, ['none']);
  for (const sentence of misfits(name, written)) flags.fault(sentence);
  const read = {
    at: flags.instant('--at', at),
    votes: flags.wholeNumber('--votes', votes, 1, VOTES_MAX),
    days: flags.wholeNumber('--days', days, 1, DAYS_MAX),
    voters: flags.wholeNumber('--voters', voters, 1, VOTERS_MAX),
    seed: flags.wholeNumber('--seed', seed, 0, SEED_MAX) ?? random.bytes(4).readUInt32BE(),
  };
  flags.done();
  return read;
}

/** Flags that cannot be used together. */
function misfits(
  name: string | undefined,
  { site, ledger, history, votes, month, days, voters, at }: PreviewFlags,
): readonly string[] {
  const isGiven = (flag: string | undefined): boolean => flag !== undefined;
  const rules: readonly (readonly [boolean, string])[] = [
    [
      name === undefined && month === undefined && ![votes, days, voters].some(isGiven),
      'name a player, or simulate many with --month, --votes, --days or --voters',
    ],
    [
      month !== undefined && [name, votes, voters, at].some(isGiven),
      '--month goes by the votes of the last weeks; use it without a name, --votes, --voters and --at',
    ],
    [
      name === undefined && [site, ledger, history].some(isGiven),
      '--site, --ledger and --history need a player',
    ],
    [
      name !== undefined && [days, voters].some(isGiven),
      '--days and --voters are for many players; leave out the name',
    ],
    [
      isGiven(history) && isGiven(ledger),
      '--history replaces the ledger, so it cannot be used with --ledger',
    ],
    [
      isGiven(history) && isGiven(votes),
      '--votes begins without earlier votes, so it cannot be used with --history',
    ],
  ];
  return rules.flatMap(([isWrong, sentence]) => (isWrong ? [sentence] : []));
}

const historyOf = async (
  file: string | undefined,
  config: Config,
  { zone }: Rules,
): Promise<readonly JudgedArrival[] | null> =>
  file === undefined ? null : (await readHistory(file, config, zone)).map(({ arrival }) => arrival);

/** A vote after a history is cast one day after its last one, unless `--at` says when. */
function timeOf(given: number | undefined, history: readonly JudgedArrival[] | null, clock: Clock): number {
  const last = history?.at(-1)?.vote.castAt;
  if (last === undefined) return given ?? clock.now();
  if (given === undefined) return last + DAY_MS;
  if (given >= last) return given;
  throw new Problem('usage', `--at must not be before the last vote of the history, ${isoTime(last)}`);
}

async function withLedger<Result>(
  open: () => Promise<Ledger | null>,
  body: (ledger: Ledger | null) => Promise<Result>,
): Promise<Result> {
  const ledger = await open();
  try {
    return await body(ledger);
  } finally {
    await ledger?.close();
  }
}

/** The ledger of a running Teller; null: as if there were no votes yet. */
const ledgerToLookInto = async (
  { ledger: file }: Config,
  { ledger: flag }: PreviewFlags,
  clock: Clock,
): Promise<Ledger | null> => (flag === 'none' ? null : openToLook(file, clock));

/** What the history drew is the same each time, so that only the previewed vote depends on `--seed`. */
const HISTORY_SEED = 1;

async function ledgerWith(history: readonly JudgedArrival[], rules: Rules, clock: Clock): Promise<Ledger> {
  const ledger = await openTemporaryLedger(clock);
  try {
    await simulateAll(ledger, history, rules, HISTORY_SEED);
    return ledger;
  } catch (error) {
    await ledger.close();
    throw error;
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
