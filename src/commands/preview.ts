import { type Config, zoneOf } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { openLedger, openTemporaryLedger } from '../ledger/ledger.ts';
import { pastPayments } from '../operator/figures/past-payments.ts';
import { hypotheticalVotes, type VoteRefused } from '../operator/preview/hypothetical-votes.ts';
import { previewVotes } from '../operator/preview/preview.ts';
import {
  type PartyPreview,
  previewTogether,
  type TogetherPreview,
  type TopPreview,
} from '../operator/preview/together.ts';
import { SEED_MAX } from '../operator/simulation/examples-file.ts';
import type { Terminal } from '../platform/terminal.ts';
import { rulesOf } from '../votes/sites.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { Flags } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { previewJson, printPreview } from './preview-print.ts';
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

/** What a previewed vote would add to what players earn together. */
function printTogetherPreview(terminal: Terminal, { parties, tops }: TogetherPreview): void {
  if (parties.length + tops.length === 0) return;
  terminal.out('  together with others');
  for (const party of parties) terminal.out(`    ${party.party}: ${partyText(party)}`);
  for (const top of tops) terminal.out(`    ${top.top}: ${topText(top)}`);
}

const PAID: Readonly<Record<PartyPreview['for'], string>> = {
  voters: 'those whose votes made it are paid',
  online: 'those who are online are paid',
  once: 'its commands are run',
};

/** `3 left of 25 until party 12; this vote counts, then 2 are left` */
function partyText({ for: paid, every, number, left, leftAfter, reason }: PartyPreview): string {
  const now = `${left} left of ${every} until party ${number}`;
  if (leftAfter === null) return `${now}; this vote does not count: ${reason}`;
  return leftAfter === 0
    ? `${now}; this vote reaches it, and ${PAID[paid]}`
    : `${now}; this vote counts, then ${leftAfter} ${leftAfter === 1 ? 'is' : 'are'} left`;
}

/** `2026-11, 4th with 12, 3 behind Alex; this vote makes it 3rd with 13` */
function topText({ period, isSettled, place, votes, ahead, after, uncounted }: TopPreview): string {
  const where = place === null ? 'no place yet' : `${ordinal(place)} with ${votes}`;
  const behind = ahead === null || isSettled ? '' : `, ${behindText(ahead, votes)}`;
  const effect =
    after === null
      ? `this vote does not count: ${uncounted ?? 'no prize can be paid'}`
      : `this vote makes it ${ordinal(after.place)} with ${after.votes}`;
  return `${period}, ${where}${behind}; ${effect}`;
}

const behindText = ({ player, votes: theirs }: { player: string; votes: number }, own: number): string =>
  theirs === own
    ? `as many as ${printable(player, 40)}, who had them earlier`
    : `${theirs - own} behind ${printable(player, 40)}`;

const plural = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** `1st`, `22nd`, `113th` */
export const ordinal = (place: number): string => `${place}${ENDINGS[plural.select(place)] ?? 'th'}`;
