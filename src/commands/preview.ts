import { type Config, zoneOf } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { JudgedArrival } from '../core/decide.ts';
import { DAY_MS } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import { Problem } from '../core/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/sqlite/in-process.ts';
import { openTemporaryLedger } from '../ledger/sqlite/temporary.ts';
import { hypotheticalVotes, type VoteRefused } from '../operator/preview/hypothetical-votes.ts';
import { pastPayments } from '../operator/figures/past-payments.ts';
import { previewVotes } from '../operator/preview/preview.ts';
import { previewTogether, type TogetherPreview } from '../operator/preview/together.ts';
import { SEED_MAX } from '../operator/simulation/examples-file.ts';
import { readHistory } from '../operator/simulation/history-file.ts';
import { simulateAll } from '../operator/simulation/simulate.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { Rules } from '../rewards/reward.ts';
import { rulesOf } from '../votes/intake/rules.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { Flags } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { previewJson, printPreview } from './preview-print.ts';
import { printTogetherPreview } from './preview-together-print.ts';
import { readConfig } from './with-ledger.ts';

const newCommand = () =>
  new Command('preview')
    .description(
      'dry run: show the exact commands that a vote by this player would run now, and what each reward paid lately',
    )
    .argument('<name>', 'the player; on listings without player names, the user ID')
    .option('--site <service>', 'the service name of the vote (default: each in `sites`)')
    .option('--at <time>', 'when the vote is cast: an ISO date-time (default: now)')
    .option(
      '--history <file>',
      'as if only the votes of this file had been cast; they are written as in examples',
    )
    .option('--ledger <none>', 'none: ignore the ledger, as if nobody had ever voted')
    .option('--seed <number>', 'seed for drawing chances; the same seed gives the same draws')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts');

type PreviewFlags = FlagsOf<typeof newCommand>;

export const previewCommand = (terminal: Terminal, clock: Clock) =>
  newCommand().action(action(terminal, (name, flags) => preview(name, flags, terminal, clock)));

async function preview(
  name: string,
  flags: PreviewFlags,
  terminal: Terminal,
  systemClock: Clock,
): Promise<ExitCode> {
  const { at: atGiven, seed } = readFlags(flags);
  const { config, clock } = await readConfig(flags.config, terminal, systemClock);
  await noteOlderConfig(config, terminal, flags.json);
  const rules = rulesOf(config, zoneOf(config, clock));
  const history = await historyOf(flags.history, config, rules);
  const at = timeOf(atGiven, history, clock);
  const imagined = hypotheticalVotes(name, flags.site, at, config);
  if (imagined.kind === 'refused') throw refused(imagined);
  const open = () =>
    history === null ? ledgerToLookInto(config, flags, clock) : ledgerWith(history, rules, clock);
  const { past, shown } = await withLedger(open, async (ledger) => {
    const previews = await previewVotes(imagined.arrivals, rules, ledger, { seed });
    const together = await previewTogether(previews, { rules, tops: config.tops }, ledger);
    return {
      past: ledger === null ? new Map() : await pastPayments(ledger, clock.now()),
      shown: previews.map((preview, place) => [preview, together[place] as TogetherPreview] as const),
    };
  });
  if (flags.json)
    printJson(
      terminal,
      shown.map(([preview, together]) => ({ ...previewJson(preview, past), ...together })),
    );
  else
    printEach(terminal, shown, (to, [preview, together]) => {
      printPreview(to, preview, past);
      printTogetherPreview(to, together);
    });
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

function readFlags({ at, ledger, history, seed }: PreviewFlags) {
  const flags = new Flags();
  flags.oneOf('--ledger', ledger, ['none']);
  if (history !== undefined && ledger !== undefined)
    flags.fault('--history replaces the ledger, so it cannot be used with --ledger');
  const read = {
    at: flags.instant('--at', at),
    seed: flags.wholeNumber('--seed', seed, 0, SEED_MAX),
  };
  flags.done();
  return read;
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
