import type { Cancel, Clock } from '../../core/clock.ts';
import { type Charge, FixedWindows, type WindowUse } from '../../core/fixed-windows.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../sqlite/open.ts';
import type { Write } from '../../sqlite/patience.ts';

const BUDGET_WINDOW_MS = 60_000;

/** A listing’s API limits in one window: checked users for `vote-checks`, requests for the others (NS-18). */
export const budgets = {
  'bot-stats': 1,
  'vote-checks': 120,
  'vote-reads': 30,
  'webhook-registrations': 10,
  'webhook-tests': 5,
} as const;

/** The same for actions of the dashboard only. */
const dashboardBudgets = { 'test-votes': 10 } as const;

const quotas = { ...budgets, ...dashboardBudgets };

export type ApiBudget = keyof typeof budgets;
export type BudgetName = keyof typeof quotas;

export interface Cost {
  readonly listingId: string;
  readonly budget: BudgetName;
  readonly cost: number;
}

/** The result of the charged work; undefined if the budget was used up. */
export interface Charged<Answer> {
  readonly charge: Charge;
  readonly answer?: Answer;
}

export interface BudgetParts {
  readonly database: Database;
  readonly write: Write;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Charges are stored this long after the first of them, all in one commit. With a commit for each read, the API
 * answered 1,600 reads a second instead of 2,900.
 */
export const STORED_AFTER_MS = 1_000;

/**
 * Budgets are by listing, not by token, so that rotating a token does not reset them (AU-17). They are charged in memory,
 * because one process owns the database. They survive a restart. A crash loses the charges that were not stored yet;
 * work that was not done is never charged in the database.
 */
export class Budgets {
  private readonly statements;
  private readonly windows: FixedWindows;
  /** Keys of windows that have changed since they were stored. */
  private unstored = new Set<string>();
  private isStorePlanned = false;
  private isClosed = false;
  private storing: Promise<void> = Promise.resolve();
  private cancelStore: Cancel = () => {};

  constructor(private readonly parts: BudgetParts) {
    this.statements = prepareStatements(parts.database);
    this.windows = new FixedWindows({ windowMs: BUDGET_WINDOW_MS, recall: (key) => this.stored(key) });
  }

  /** Charges and does the work in one turn; the charge is undone if the work throws (NS-13). */
  charged<Answer>(cost: Cost, work: () => Answer): Charged<Answer> {
    const charge = this.charge(cost);
    if (charge.kind === 'over') return { charge };
    try {
      return { charge, answer: work() };
    } catch (error) {
      this.giveBack(cost);
      throw error;
    }
  }

  /** The same in one transaction; the charge is also undone if the commit fails. */
  chargedWrite<Answer>(cost: Cost, work: () => Answer): Promise<Charged<Answer>> {
    let isCharged = false;
    const attempt = () => {
      const done = this.charged(cost, work);
      isCharged = done.charge.kind === 'charged';
      return done;
    };
    return this.parts.write(attempt, () => {
      if (isCharged) this.giveBack(cost);
      isCharged = false;
    });
  }

  /** Charges if the window has room. */
  charge({ listingId, budget, cost }: Cost): Charge {
    const key = keyOf(listingId, budget);
    const charge = this.windows.charge(key, cost, quotas[budget], this.parts.clock.now());
    if (charge.kind === 'charged') this.storeLater(key);
    return charge;
  }

  /** Stores the remaining charges. Call it before the database is closed. Later charges are not stored. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelStore();
    await this.storing;
    await this.store();
  }

  private giveBack({ listingId, budget, cost }: Cost): void {
    const key = keyOf(listingId, budget);
    this.windows.giveBack(key, cost);
    this.storeLater(key);
  }

  private storeLater(key: string): void {
    this.unstored.add(key);
    if (this.isStorePlanned || this.isClosed) return;
    this.isStorePlanned = true;
    this.cancelStore = this.parts.clock.after(STORED_AFTER_MS, () => {
      this.isStorePlanned = false;
      this.storing = this.store();
    });
  }

  /** Stores all in one transaction. If that fails, it is tried again later. */
  private async store(): Promise<void> {
    if (this.unstored.size === 0) return;
    const keys = this.unstored;
    this.unstored = new Set();
    try {
      await this.parts.write(() => {
        for (const key of keys) this.save(key);
      });
    } catch (err) {
      this.parts.log.error(
        { code: 'budgets-unstored', err },
        'could not save how much of the API limits is used; trying again later',
      );
      for (const key of keys) this.storeLater(key);
    }
  }

  private stored(key: string): WindowUse | undefined {
    return this.statements.find.get(...partsOf(key)) as WindowUse | undefined;
  }

  /** A window that has ended need not be stored: it would not limit anything. */
  private save(key: string): void {
    const use = this.windows.use(key);
    if (use !== undefined) this.statements.save.run(...partsOf(key), use.openedAt, use.used);
  }
}

/** Neither part contains a space. */
const keyOf = (listingId: string, budget: BudgetName): string => `${listingId} ${budget}`;
const partsOf = (key: string): string[] => key.split(' ');

const prepareStatements = (db: Database) => ({
  find: db.prepare('SELECT opened_at AS openedAt, used FROM budgets WHERE listing_id = ? AND name = ?'),
  save: db.prepare(`
    INSERT INTO budgets (listing_id, name, opened_at, used) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET opened_at = excluded.opened_at, used = excluded.used`),
});
