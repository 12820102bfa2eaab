import type { Config } from '../config/config.ts';
import type { JudgedArrival } from '../core/decide.ts';
import { localDay } from '../core/local-time.ts';
import { type Days, PERS, type Per, periodOf } from '../core/period.ts';
import type { BalanceRun, ImportSource, PlayerBalance, UnreadableEntry } from '../core/player-balance.ts';
import type { PlayerName } from '../core/player-name.ts';
import type { BalanceDifference, BalanceEntry, BalanceOrder, VotesImported } from '../ledger/ledger.ts';
import { rulesOf } from '../votes/intake/rules.ts';
import { added, FAULTS_KEPT, type ImportTools, NO_VOTES, pastVote, VOTES_AT_ONCE } from './import-votes.ts';

/** Recording so many players takes some tens of milliseconds, and others cannot record meanwhile. */
const PLAYERS_AT_ONCE = 200;
/** A longer run is no run of a server. */
const RUN_MAX: Readonly<Record<Per, number>> = { day: 36_500, week: 5_200, month: 1_200 };

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
  /** Occasions that were recorded as reached elsewhere. */
  readonly passed: number;
  /** How many values differ from those of an earlier import, which stay, and the first of them. */
  readonly differing: number;
  readonly differences: readonly BalanceDifference[];
  /** How many entries could not be imported, and the first of them. */
  readonly faulty: number;
  readonly faults: readonly Omit<UnreadableEntry, 'kind'>[];
  readonly notKept: {
    /** Players with runs of which the plugin does not say when they counted last. */
    readonly undatedRuns: number;
  };
}

/**
 * Imports what a plugin counted for its players. It can be stopped at any moment and repeated: nothing is added twice, and
 * what differs from an earlier import is returned.
 */
export async function importBalances(source: ImportSource, tools: ImportTools): Promise<BalancesReport> {
  const { ledger, config, by, now, onProgress } = tools;
  const rules = rulesOf(config, await ledger.timeZone());
  const start = { source: source.name, asOf: Math.min(source.asOf, now), by, now };
  const order = { ...start, rules, importId: await ledger.startImport(start) };
  const importing = new Importing(tools, order, source.file);
  let read = 0;
  let portion: PlayerBalance[] = [];
  const store = async (): Promise<void> => {
    await importing.store(portion, config);
    portion = [];
    onProgress(read);
  };
  for await (const entry of source.balances()) {
    read += 1;
    if (entry.kind === 'unreadable') importing.fault(entry);
    else portion.push(entry);
    if (portion.length === PLAYERS_AT_ONCE) await store();
  }
  await store();
  return importing.report();
}

class Importing {
  private players = 0;
  private stored = 0;
  private same = 0;
  private passed = 0;
  private lastVotes: VotesImported = NO_VOTES;
  private differing = 0;
  private readonly differences: BalanceDifference[] = [];
  private faulty = 0;
  private readonly faults: Omit<UnreadableEntry, 'kind'>[] = [];
  private undatedRuns = 0;

  constructor(
    private readonly tools: ImportTools,
    private readonly order: BalanceOrder,
    private readonly file: string,
  ) {}

  fault({ file, key, why }: Omit<UnreadableEntry, 'kind'>): void {
    this.faulty += 1;
    if (this.faults.length < FAULTS_KEPT) this.faults.push({ file, key, why });
  }

  /** The votes first, so that those which count are not counted again as a part of the total. */
  async store(balances: readonly PlayerBalance[], config: Config): Promise<void> {
    const { ledger } = this.tools;
    const votes = balances.flatMap((balance) => this.votesOf(balance, config));
    for (let at = 0; at < votes.length; at += VOTES_AT_ONCE)
      this.lastVotes = added(
        this.lastVotes,
        await ledger.importVotes(votes.slice(at, at + VOTES_AT_ONCE), this.order),
      );
    if (balances.length === 0) return;
    const entries = balances.map((balance) => this.entryOf(balance));
    const { stored, same, differences, passed } = await ledger.importBalances(entries, this.order);
    this.players += balances.length;
    this.stored += stored;
    this.same += same;
    this.passed += passed;
    this.differing += differences.length;
    this.differences.push(...differences.slice(0, FAULTS_KEPT - this.differences.length));
  }

  private votesOf({ player, lastVotes }: PlayerBalance, config: Config): readonly JudgedArrival[] {
    return [...lastVotes].flatMap(([service, at]) => {
      const vote = pastVote({ player, service, at }, config, this.order);
      if (typeof vote !== 'string') return [vote];
      this.fault({ file: this.file, key: `${player}, last vote on ${service}`, why: vote });
      return [];
    });
  }

  private entryOf({ player, uuid, totals, streaks }: PlayerBalance): BalanceEntry {
    const runs = PERS.map((per) => streaks[per]);
    if (runs.some((run) => isRun(run) && run.lastAt === null)) this.undatedRuns += 1;
    const periods = (per: Per): Days | null => periodsOf(per, streaks[per], this.order);
    return {
      player: player as PlayerName,
      uuid,
      totals,
      runs: { day: periods('day'), week: periods('week'), month: periods('month') },
      bestRun: streaks.day.best,
    };
  }

  report(): BalancesReport {
    const { players, stored, same, lastVotes, passed, differing, differences, faulty, faults } = this;
    const { source, asOf } = this.order;
    return {
      ...{ source, asOf, players, stored, same, lastVotes, passed: passed + lastVotes.passed },
      ...{ differing, differences, faulty, faults, notKept: { undatedRuns: this.undatedRuns } },
    };
  }
}

const isRun = ({ current }: BalanceRun): boolean => (current ?? 0) > 0;

function periodsOf(
  per: Per,
  { current, lastAt }: BalanceRun,
  { asOf, rules: { zone } }: BalanceOrder,
): Days | null {
  if (current === null || current < 1 || lastAt === null) return null;
  const to =
    lastAt === 'previous' ? periodOf(per, localDay(asOf, zone)) - 1 : periodOf(per, localDay(lastAt, zone));
  return { from: to - Math.min(current, RUN_MAX[per]) + 1, to };
}
