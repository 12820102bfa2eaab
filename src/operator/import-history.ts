import type { Config } from '../config/config.ts';
import type { JudgedArrival } from '../core/decide.ts';
import { localDay } from '../core/local-time.ts';
import type { ImportSource, PlayerBalance } from '../core/player-balance.ts';
import type { PlayerName } from '../core/player-name.ts';
import type {
  BalanceDifference,
  BalanceEntry,
  ImportOrder,
  Ledger,
  VotesImported,
} from '../ledger/ledger.ts';
import type { RowFault } from '../plugins/table.ts';
import type { VoteLine } from '../plugins/vote-lines.ts';
import { addedVote } from '../votes/judge-vote.ts';
import { rulesOf } from '../votes/sites.ts';
import { hypotheticalVote, isRefused } from './preview/hypothetical-votes.ts';

/** Recording so many players or votes takes some tens of milliseconds, and others cannot record meanwhile. */
const AT_ONCE = 200;
/** So many faults are kept one by one. */
const FAULTS_KEPT = 100;

export interface ImportTools {
  readonly ledger: Ledger;
  readonly config: Config;
  /** What is imported and by whom, such as `votes by ann`. */
  readonly by: string;
  readonly now: number;
  /** Called after each portion with how many entries were read until now. */
  readonly onProgress: (read: number) => void;
}

export interface VotesReport extends VotesImported {
  /** Lines that are no vote. */
  readonly faulty: number;
  /** The first of them. */
  readonly faults: readonly RowFault[];
}

/** Imports the votes of a file. It can be repeated: votes that the ledger has are not recorded again. */
export async function importVotes(
  lines: AsyncIterable<VoteLine | RowFault>,
  { ledger, config, by, now, onProgress }: ImportTools,
): Promise<VotesReport> {
  const order = { by, now, rules: rulesOf(config, await ledger.timeZone()) };
  const faults: RowFault[] = [];
  let [read, faulty] = [0, 0];
  let sum = NO_VOTES;
  for await (const portion of portionsOf(lines)) {
    const votes = portion.flatMap((line) => {
      const vote = 'why' in line ? line.why : pastVote(line, config, order);
      if (typeof vote !== 'string') return [vote];
      faulty += 1;
      if (faults.length < FAULTS_KEPT) faults.push({ line: line.line, why: vote });
      return [];
    });
    sum = added(sum, await ledger.importVotes(votes, order));
    read += portion.length;
    onProgress(read);
  }
  return { ...sum, faulty, faults };
}

/** What became of the entries of a plugin. */
export interface BalancesReport {
  readonly source: string;
  readonly asOf: number;
  /** Entries that could be read. */
  readonly players: number;
  /** Players for whom something was stored, and those for whom everything was. */
  readonly stored: number;
  readonly same: number;
  /** The votes that the plugin says were the last on each site. */
  readonly lastVotes: VotesImported;
  /** How many values differ from those of an earlier import, which stay, and the first of them. */
  readonly differing: number;
  readonly differences: readonly BalanceDifference[];
  /** How many entries could not be imported, and the first of them. */
  readonly faulty: number;
  readonly faults: readonly { readonly file: string; readonly key: string; readonly why: string }[];
  readonly notKept: {
    /** Players with runs of which the plugin does not say when they counted last. */
    readonly undatedRuns: number;
  };
}

/**
 * Imports what a plugin counted for its players. It can be stopped at any moment and repeated: nothing is added twice, and
 * what differs from an earlier import is returned.
 */
export async function importBalances(
  { name: source, file, asOf: writtenAt, balances }: ImportSource,
  { ledger, config, by, now, onProgress }: ImportTools,
): Promise<BalancesReport> {
  const rules = rulesOf(config, await ledger.timeZone());
  const order = { source, asOf: Math.min(writtenAt, now), by, now, rules };
  let [read, players, stored, same, differing, faulty, undatedRuns] = [0, 0, 0, 0, 0, 0, 0];
  let lastVotes = NO_VOTES;
  const differences: BalanceDifference[] = [];
  const faults: BalancesReport['faults'][number][] = [];
  const fault = (key: string, why: string): void => {
    faulty += 1;
    if (faults.length < FAULTS_KEPT) faults.push({ file, key, why });
  };
  for await (const portion of portionsOf(balances())) {
    const found = portion.flatMap((entry) => {
      if (entry.kind === 'player') return [entry];
      fault(entry.key, entry.why);
      return [];
    });
    const votes = found.flatMap((balance) =>
      [...balance.lastVotes].flatMap(([service, at]) => {
        const vote = pastVote({ player: balance.player, service, at }, config, order);
        if (typeof vote !== 'string') return [vote];
        fault(`${balance.player}, last vote on ${service}`, vote);
        return [];
      }),
    );
    // The votes first, so that those which count are not counted again as a part of the total.
    for (let at = 0; at < votes.length; at += AT_ONCE)
      lastVotes = added(lastVotes, await ledger.importVotes(votes.slice(at, at + AT_ONCE), order));
    const entries = found.map((balance) => entryOf(balance, rules.zone));
    const imported = await ledger.importBalances(entries, order);
    players += found.length;
    stored += imported.stored;
    same += imported.same;
    differing += imported.differences.length;
    differences.push(...imported.differences.slice(0, FAULTS_KEPT - differences.length));
    undatedRuns += found.filter(({ streak }) => (streak.current ?? 0) > 0 && streak.lastAt === null).length;
    read += portion.length;
    onProgress(read);
  }
  return {
    ...{ source, asOf: order.asOf, players, stored, same, lastVotes },
    ...{ differing, differences, faulty, faults, notKept: { undatedRuns } },
  };
}

/** A longer run of days is none of a server. */
const RUN_MAX = 36_500;

function entryOf({ player, uuid, totals, streak }: PlayerBalance, zone: string): BalanceEntry {
  const { current, best, lastAt } = streak;
  const to = lastAt === null || current === null || current < 1 ? null : localDay(lastAt, zone);
  const run = to === null ? null : { from: to - Math.min(current ?? 1, RUN_MAX) + 1, to };
  return { player: player as PlayerName, uuid, total: totals.all, month: totals.month, run, best };
}

async function* portionsOf<Entry>(entries: AsyncIterable<Entry>): AsyncGenerator<readonly Entry[]> {
  let portion: Entry[] = [];
  for await (const entry of entries) {
    portion.push(entry);
    if (portion.length < AT_ONCE) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}

const NO_VOTES: VotesImported = { counted: 0, uncounted: 0, same: 0, receivedHere: 0, passed: 0 };

const added = (sum: VotesImported, more: VotesImported): VotesImported => ({
  counted: sum.counted + more.counted,
  uncounted: sum.uncounted + more.uncounted,
  same: sum.same + more.same,
  receivedHere: sum.receivedHere + more.receivedHere,
  passed: sum.passed + more.passed,
});

/** A vote of the time before Teller. @returns why there is no such vote, as the end of a sentence. */
function pastVote(
  { player, service, at }: Omit<VoteLine, 'line'>,
  config: Config,
  { by, now }: Pick<ImportOrder, 'by' | 'now'>,
): JudgedArrival | string {
  if (at > now) return 'has a time in the future';
  const judged = hypotheticalVote(player as PlayerName, service, at, config);
  return isRefused(judged)
    ? `would be refused: its sender ${judged.cause} (${judged.code})`
    : addedVote(judged, { at, eventId: null, by, now }, 'import');
}
