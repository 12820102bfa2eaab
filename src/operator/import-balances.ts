import { type Config, practiceNames } from '../config/config.ts';
import type { JudgedArrival } from '../core/decide.ts';
import { localDay } from '../core/local-time.ts';
import { type Days, PERS, type Per, periodOf } from '../core/period.ts';
import type { BalanceRun, ImportSource, PlayerBalance, UnreadableEntry } from '../core/player-balance.ts';
import type { PlayerName } from '../core/player-name.ts';
import type { Random } from '../core/random.ts';
import type {
  BalanceDifference,
  BalanceEntry,
  BalanceOrder,
  DebtEntry,
  PartyImported,
  VotesImported,
} from '../ledger/ledger.ts';
import { drawFor } from '../rewards/draws.ts';
import type { Party } from '../rewards/reward.ts';
import { rulesOf } from '../votes/intake/rules.ts';
import { matchSite } from '../votes/intake/sites.ts';
import { added, FAULTS_KEPT, type ImportTools, NO_VOTES, pastVote, VOTES_AT_ONCE } from './import-votes.ts';

/** Recording so many players takes some tens of milliseconds, and others cannot record meanwhile. */
const PLAYERS_AT_ONCE = 200;
/** A longer run is no run of a server. */
const RUN_MAX: Readonly<Record<Per, number>> = { day: 36_500, week: 5_200, month: 1_200 };

export interface BalanceTools extends ImportTools {
  /** Whether values of an earlier import of the same source are replaced by other ones. */
  readonly isReplacing: boolean;
  readonly random: Random;
  /** The game server on which commands that the plugin owes are run; null: none is named, and such rewards are left out. */
  readonly owedOn: string | null;
  /** Parties of the config that go on from where that of the plugin is. */
  readonly parties: readonly Party[];
}

/** What a grant of commands that a plugin owes has in place of a reward's name; the source follows. */
const OWED = 'owed by';

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
  /** Grants that were created for what the plugin owes; they are held. */
  readonly owed: number;
  /** Occasions that were recorded as reached elsewhere. */
  readonly passed: number;
  /** How many votes have counted for the plugin's next vote party; null: it does not say. */
  readonly partyVotes: number | null;
  readonly parties: readonly PartyReport[];
  /** How many values differ from those of an earlier import, and the first of them. */
  readonly differing: number;
  readonly differences: readonly BalanceDifference[];
  /** How many entries could not be imported, and the first of them. */
  readonly faulty: number;
  readonly faults: readonly Omit<UnreadableEntry, 'kind'>[];
  readonly notKept: NotKept;
}

/** What became of the count of a party; `not-known`: the plugin does not say what it had counted. */
export type PartyReport = (PartyImported | typeof NOT_KNOWN) & {
  readonly party: string;
  readonly every: number;
};

const NOT_KNOWN = { kind: 'not-known' } as const;

/** What the ledger cannot keep, by how many players have it. */
export interface NotKept {
  /** Runs of which the plugin does not say when they counted last. */
  readonly undatedRuns: number;
  /** Rewards that the plugin owes, whose commands are not known or for which no game server is named. */
  readonly owedRewards: number;
}

/**
 * Imports what a plugin counted for its players. It can be stopped at any moment and repeated: nothing is added twice, and
 * what differs from an earlier import is returned.
 */
export async function importBalances(source: ImportSource, tools: BalanceTools): Promise<BalancesReport> {
  const { ledger, config, by, now, isReplacing, onProgress } = tools;
  const rules = rulesOf(config, await ledger.timeZone());
  const start = { source: source.name, asOf: Math.min(source.asOf, now), by, now };
  const order = { ...start, rules, isReplacing, importId: await ledger.startImport(start) };
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
  return importing.report(source.partyVotes, await importParties(source.partyVotes, tools, order));
}

async function importParties(
  votes: number | null,
  { ledger, parties }: BalanceTools,
  order: BalanceOrder,
): Promise<readonly PartyReport[]> {
  const reports: PartyReport[] = [];
  for (const party of parties) {
    const imported = votes === null ? NOT_KNOWN : await ledger.importParty({ party, votes }, order);
    reports.push({ party: party.name, every: party.every, ...imported });
  }
  return reports;
}

class Importing {
  private players = 0;
  private stored = 0;
  private owed = 0;
  private same = 0;
  private passed = 0;
  private lastVotes: VotesImported = NO_VOTES;
  private differing = 0;
  private readonly differences: BalanceDifference[] = [];
  private faulty = 0;
  private readonly faults: Omit<UnreadableEntry, 'kind'>[] = [];
  private notKept: NotKept = { undatedRuns: 0, owedRewards: 0 };

  constructor(
    private readonly tools: BalanceTools,
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
    const debts = balances.map((balance) => this.debtOf(balance, config));
    this.owed += await ledger.importDebts(
      debts.filter((debt) => debt.votes.length + debt.rewards.length > 0),
      this.order,
    );
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

  private debtOf({ player, unpaidVotes, unpaidRewards }: PlayerBalance, config: Config): DebtEntry {
    const { random, owedOn } = this.tools;
    const { source } = this.order;
    const known = unpaidRewards.filter(({ commands }) => commands.length > 0);
    const left = owedOn === null ? unpaidRewards.length : unpaidRewards.length - known.length;
    this.notKept = { ...this.notKept, owedRewards: this.notKept.owedRewards + left };
    const practice = owedOn !== null && practiceNames(config).includes(owedOn);
    return {
      player: player as PlayerName,
      votes: unpaidVotes.map(({ service, at }) => {
        const site = matchSite(config.sites, service).key;
        return { service, site, at, draws: drawFor(random) };
      }),
      rewards:
        owedOn === null
          ? []
          : known.map((each) => ({ ...each, reward: `${OWED} ${source}`, server: owedOn, practice })),
    };
  }

  private entryOf({ player, uuid, totals, streaks }: PlayerBalance): BalanceEntry {
    const runs = PERS.map((per) => streaks[per]);
    const isUndated = runs.some((run) => isRun(run) && run.lastAt === null);
    const { undatedRuns } = this.notKept;
    this.notKept = { ...this.notKept, undatedRuns: undatedRuns + (isUndated ? 1 : 0) };
    const periods = (per: Per): Days | null => periodsOf(per, streaks[per], this.order);
    return {
      player: player as PlayerName,
      uuid,
      totals,
      runs: { day: periods('day'), week: periods('week'), month: periods('month') },
      bestRun: streaks.day.best,
    };
  }

  report(partyVotes: number | null, parties: readonly PartyReport[]): BalancesReport {
    const { players, stored, same, lastVotes, passed, differing, differences, faulty, faults, notKept } =
      this;
    const { source, asOf } = this.order;
    const together = { partyVotes, parties };
    const figures = { ...together, source, asOf, players, stored, same, lastVotes, owed: this.owed };
    return {
      ...figures,
      ...{ passed: passed + lastVotes.passed, differing, differences, faulty, faults, notKept },
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
