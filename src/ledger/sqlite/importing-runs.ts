import type { Per } from '../../core/period.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { BalanceDifference, BalanceEntry, BalanceOrder, BalanceWhat } from '../import-ledger.ts';

/** Periods in a row, as a row. */
export interface ImportedRun {
  readonly per: Per;
  readonly from: number | null;
  readonly to: number | null;
  readonly best: number | null;
}

const RUNS: Readonly<Record<Per, BalanceWhat>> = { day: 'run', week: 'week-run', month: 'month-run' };

/** Records which days, weeks and months in a row other plugins counted. The caller holds the transaction. */
export class ImportingRuns {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Without those that are stored already, whose value is kept. */
  toStore(
    entry: BalanceEntry,
    nameId: number,
    { source }: BalanceOrder,
    differences: BalanceDifference[],
  ): readonly ImportedRun[] {
    return statedBy(entry).filter((wanted) => {
      const stored = this.statements.find.get(nameId, source, wanted.per) as ImportedRun | undefined;
      if (stored === undefined) return true;
      differences.push(...differencesOf(wanted, stored).map((each) => ({ ...each, player: entry.player })));
      return false;
    });
  }

  store(runs: readonly ImportedRun[], nameId: number, { source, importId }: BalanceOrder): void {
    for (const run of runs) this.statements.store.run({ ...run, nameId, source, importId });
  }
}

const statedBy = ({ runs: { day, week, month }, bestRun: best }: BalanceEntry): readonly ImportedRun[] => [
  ...(day === null && best === null
    ? []
    : [{ per: 'day', from: day?.from ?? null, to: day?.to ?? null, best } as const]),
  ...(week === null ? [] : [{ per: 'week', ...week, best: null } as const]),
  ...(month === null ? [] : [{ per: 'month', ...month, best: null } as const]),
];

function differencesOf(
  wanted: ImportedRun,
  stored: ImportedRun,
): readonly Pick<BalanceDifference, 'what' | 'was' | 'is'>[] {
  const isSameRun = stored.from === wanted.from && stored.to === wanted.to;
  return [
    ...(isSameRun ? [] : [{ what: RUNS[wanted.per], was: lengthOf(stored), is: lengthOf(wanted) }]),
    ...(stored.best === wanted.best
      ? []
      : [{ what: 'best-run' as const, was: stored.best ?? 0, is: wanted.best ?? 0 }]),
  ];
}

const lengthOf = ({ from, to }: ImportedRun): number => (from === null || to === null ? 0 : to - from + 1);

const prepareStatements = (db: Database) => ({
  find: db.prepare(`
    SELECT per, first AS "from", last AS "to", best FROM imported_runs
    WHERE name_id = ? AND source = ? AND per = ?`),
  store: db.prepare(`
    INSERT INTO imported_runs (name_id, source, per, first, last, best, import_id)
    VALUES (@nameId, @source, @per, @from, @to, @best, @importId)`),
});
