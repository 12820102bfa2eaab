import { localDay } from '../../core/local-time.ts';
import { daysOf, PERS, type Per, periodOf } from '../../core/period.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { Elsewhere } from './passed.ts';
import type { Stretch } from '../../rewards/streaks.ts';
import type {
  BalanceDifference,
  BalanceEntry,
  BalanceOrder,
  BalancesImported,
  BalanceWhat,
} from '../import-ledger.ts';
import { COUNTED } from './counted.ts';
import { type ImportedRun, ImportingRuns } from './importing-runs.ts';
import type { KnownRewards } from './known-rewards.ts';
import { type NameRow, PlayerNames } from './player-names.ts';
import { ReachedElsewhere } from './reached-elsewhere.ts';
import { Recipients } from './recipients.ts';
import { VoteCounts } from './vote-counts.ts';

/** What a plugin states, as a row. */
interface Stated {
  readonly what: BalanceWhat;
  readonly per: '' | (typeof PERS)[number];
  readonly from: number;
  readonly to: number;
  readonly stated: number;
}

/** What is to be stored for one name. */
interface Change {
  readonly counts: readonly (Stated & { readonly counted: number })[];
  readonly runs: readonly ImportedRun[];
}

/** Records what other plugins counted for players. The caller holds the transaction. */
export class ImportingBalances {
  private readonly statements;
  private readonly recipients: Recipients;
  private readonly names: PlayerNames;
  private readonly counts: VoteCounts;
  private readonly runs: ImportingRuns;
  private readonly elsewhere: ReachedElsewhere;

  constructor(
    database: Database,
    private readonly rewards: KnownRewards,
  ) {
    this.statements = prepareStatements(database);
    this.recipients = new Recipients(database);
    this.names = new PlayerNames(database);
    this.counts = new VoteCounts(database);
    this.runs = new ImportingRuns(database);
    this.elsewhere = new ReachedElsewhere(database, rewards);
  }

  /** @returns the ID of the import. */
  start({ source, asOf }: Pick<BalanceOrder, 'source' | 'asOf'>): number {
    return Number(this.statements.start.run(source, asOf).lastInsertRowid);
  }

  import(entries: readonly BalanceEntry[], order: BalanceOrder): BalancesImported {
    const { rules, now, importId } = order;
    const today = localDay(now, rules.zone);
    for (const reward of rules.rewards) this.rewards.use(reward, today);
    this.statements.addPortion.run(importId);
    const differences: BalanceDifference[] = [];
    let [stored, same, passed] = [0, 0, 0];
    for (const entry of entries) {
      const found = this.one(entry, order, today);
      differences.push(...found.differences);
      passed += found.passed;
      if (found.isStored) stored += 1;
      else if (found.differences.length === 0) same += 1;
    }
    return { stored, same, differences, passed };
  }

  private one(entry: BalanceEntry, order: BalanceOrder, today: number) {
    const stated = statedBy(entry, order, today);
    if (stated.every((each) => each.stated === 0) && !hasRun(entry))
      return { isStored: false, differences: [], passed: 0 };
    const historyId = this.recipients.findOrAdd({ kind: 'player', key: playerKey(entry.player) });
    const name = this.names.find(playerKey(entry.player)) as NameRow;
    const differences: BalanceDifference[] = [];
    const counts = stated.flatMap((each) => this.countToStore(each, name, entry, order, differences));
    const change = { counts, runs: this.runs.toStore(entry, name.id, order, differences) };
    const isStored = counts.length > 0 || change.runs.length > 0;
    if (entry.uuid !== null) this.statements.storeUuid.run({ ...order, nameId: name.id, uuid: entry.uuid });
    const passed = isStored ? this.store(change, { ...name, historyId }, order) : 0;
    return { isStored, differences, passed };
  }

  /** Nothing if it is stored already. Another value is kept: so the first of two entries of one import for one name holds. */
  private countToStore(
    of: Stated,
    { id: nameId, historyId }: NameRow,
    { player }: BalanceEntry,
    { source, asOf }: BalanceOrder,
    differences: BalanceDifference[],
  ): Change['counts'] {
    const { what, per, from, to, stated } = of;
    const stored = this.statements.find.get(nameId, source, per, from) as number | undefined;
    if ((stored ?? 0) === stated) return [];
    if (stored !== undefined) {
      differences.push({ player, what, was: stored, is: stated });
      return [];
    }
    const days = per === '' ? ALL_DAYS : { from, to };
    const here = this.statements.countedUntil.get({ historyId, asOf, ...days }) as number;
    return [{ ...of, counted: Math.max(0, stated - here) }];
  }

  /** @returns how many occasions it passed. */
  private store({ counts, runs }: Change, { id: nameId, historyId }: NameRow, order: BalanceOrder): number {
    const { source, asOf, importId, rules } = order;
    const passed = this.elsewhere.passing.passedElsewhere(historyId, elsewhereOf(counts, runs), rules);
    for (const { per, from, to, stated, counted } of counts)
      this.statements.store.run({ nameId, source, per, from, to, stated, counted, asOf, importId });
    this.runs.store(runs, nameId, order);
    this.counts.recountAll(historyId);
    return this.elsewhere.mark(historyId, passed, order);
  }
}

const ALL_DAYS = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

/** The total, and the counts of periods that are still in progress. */
function statedBy(
  { totals }: BalanceEntry,
  { asOf, rules: { zone } }: BalanceOrder,
  today: number,
): readonly Stated[] {
  const day = localDay(asOf, zone);
  const total = { what: 'total', per: '', from: 0, to: 0, stated: totals.all ?? 0 } as const;
  const periods = PERS.filter((per) => periodOf(per, day) === periodOf(per, today)).flatMap((per) => {
    const stated = totals[per];
    return stated === null ? [] : [{ what: per, per, ...daysOf(per, periodOf(per, day)), stated }];
  });
  return totals.all === null ? periods : [total, ...periods];
}

const hasRun = ({ runs, bestRun }: BalanceEntry): boolean =>
  bestRun !== null || Object.values(runs).some((run) => run !== null);

function elsewhereOf(counts: Change['counts'], runs: Change['runs']): Elsewhere {
  const grown = counts.filter(({ counted }) => counted > 0);
  const inProgress = (per: Per): readonly Stretch[] =>
    runs.flatMap(({ per: of, from, to }) =>
      of !== per || from === null || to === null ? [] : [{ from, to }],
    );
  return {
    count: ({ days, services }) => {
      if (services !== undefined) return 0;
      const found = grown.find(({ per, ...of }) =>
        days === undefined ? per === '' : per !== '' && of.from === days.from && of.to === days.to,
      );
      return found?.counted ?? 0;
    },
    periods: (wanted) =>
      grown.flatMap(({ per, from: first }) => (per === wanted ? [periodOf(per, first)] : [])),
    days: inProgress('day').flatMap(({ from, to }) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at),
    ),
    importedRuns: inProgress,
  };
}

const prepareStatements = (db: Database) => ({
  start: db.prepare('INSERT INTO imports (source, as_of) VALUES (?, ?)'),
  addPortion: db.prepare('UPDATE imports SET portions = portions + 1 WHERE id = ?'),
  find: db
    .prepare(`
    SELECT stated FROM balances
    WHERE name_id = ? AND source = ? AND service = '' AND per = ? AND from_day = ?`)
    .pluck(),
  countedUntil: db
    .prepare(`
    SELECT ifnull(sum(${COUNTED}), 0) FROM votes INDEXED BY votes_by_day
    WHERE recipient_id = @historyId AND local_day BETWEEN @from AND @to AND cast_at <= @asOf`)
    .pluck(),
  store: db.prepare(`
    INSERT INTO balances (name_id, source, service, per, from_day, to_day, stated, counted, as_of, import_id)
    VALUES (@nameId, @source, '', @per, @from, @to, @stated, @counted, @asOf, @importId)`),
  storeUuid: db.prepare(`
    INSERT INTO imported_uuids (name_id, source, uuid, import_id) VALUES (@nameId, @source, @uuid, @importId)
    ON CONFLICT DO UPDATE SET uuid = excluded.uuid, import_id = excluded.import_id WHERE uuid <> excluded.uuid`),
});
