import { type Config, zoneOf } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/sqlite/in-process.ts';
import { openTemporaryLedger } from '../ledger/sqlite/temporary.ts';
import { hypotheticalVotes, type VoteRefused } from '../operator/preview/hypothetical-votes.ts';
import { pastPayments } from '../operator/figures/past-payments.ts';
import { previewVotes } from '../operator/preview/preview.ts';
import { previewTogether, type TogetherPreview } from '../operator/preview/together.ts';
import { SEED_MAX } from '../operator/simulation/examples-file.ts';
import type { Terminal } from '../platform/terminal.ts';
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
  const { at, seed } = readFlags(flags);
  const { config, clock } = await readConfig(flags.config, terminal, systemClock);
  await noteOlderConfig(config, terminal, flags.json);
  const rules = rulesOf(config, zoneOf(config, clock));
  const imagined = hypotheticalVotes(name, flags.site, at ?? clock.now(), config);
  if (imagined.kind === 'refused') throw refused(imagined);
  const ledger = await ledgerToLookInto(config, terminal, clock);
  try {
    const previews = await previewVotes(imagined.arrivals, rules, ledger, { seed });
    const together = await previewTogether(previews, { rules, tops: config.tops }, ledger);
    const past = await pastPayments(ledger, clock.now());
    const shown = previews.map((preview, place) => [preview, together[place] as TogetherPreview] as const);
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
  } finally {
    await ledger.close();
  }
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

function readFlags({ at, seed }: PreviewFlags) {
  const flags = new Flags();
  const read = {
    at: flags.instant('--at', at),
    seed: flags.wholeNumber('--seed', seed, 0, SEED_MAX),
  };
  flags.done();
  return read;
}

/** The ledger of a running Teller; one without votes if there is none yet. */
async function ledgerToLookInto({ ledger: file }: Config, terminal: Terminal, clock: Clock): Promise<Ledger> {
  try {
    return await openLedger(file, 'read', { clock });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'ledger-missing') throw error;
    terminal.err(`there is no ledger at ${file} yet, so this is shown as if nobody had voted`);
    return openTemporaryLedger(clock);
  }
}
