import type { Database } from 'better-sqlite3';
import type { Cancel, Clock } from '../../core/clock.ts';
import { type Charge, FixedWindows } from '../../core/fixed-windows.ts';
import type { Log } from '../../core/log.ts';
import type { Changes } from '../changes/changes.ts';
import { BudgetStore, type StoredBudget } from './budget-store.ts';

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
  /** For a query of one row by its key. */
  readonly database: Database;
  readonly changes: Pick<Changes, 'saveBudgets'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Charges are stored this long after the first of them, all in one commit. With a commit for each read, the API
 * answered 1,600 reads a second instead of 2,900.
 */
const STORED_AFTER_MS = 1_000;

/**
 * Budgets are by listing, not by token, so that rotating a token does not reset them (AU-17). They are charged in memory,
 * because one process owns the database. They survive a restart. A crash loses the charges that were not stored yet;
 * work that was not done is never charged in the database.
 */
export class Budgets {
  private readonly windows: FixedWindows;
  /** What is charged for work that has not ended, by key. */
  private readonly unended = new Map<string, number>();
  /** Keys of windows that have changed since they were stored. */
  private unstored = new Set<string>();
  private isStorePlanned = false;
  private isClosed = false;
  private storing: Promise<void> = Promise.resolve();
  private cancelStore: Cancel = () => {};

  constructor(private readonly parts: BudgetParts) {
    const stored = new BudgetStore(parts.database);
    const recall = (key: string) => stored.find(...partsOf(key));
    this.windows = new FixedWindows({ windowMs: BUDGET_WINDOW_MS, recall });
  }

  /**
   * Charges, then does the work. If the work fails, the charge is undone (NS-13). It is stored only once the work has
   * ended.
   */
  async charged<Answer>(cost: Cost, work: () => Answer | Promise<Answer>): Promise<Charged<Answer>> {
    const key = keyOf(cost);
    const charge = this.chargeWindow(cost);
    if (charge.kind === 'over') return { charge };
    this.addUnended(key, cost.cost);
    try {
      return { charge, answer: await work() };
    } catch (error) {
      this.windows.giveBack(key, cost.cost);
      throw error;
    } finally {
      this.addUnended(key, -cost.cost);
      this.storeLater(key);
    }
  }

  /** Charges if the window has room. */
  charge(cost: Cost): Charge {
    const charge = this.chargeWindow(cost);
    if (charge.kind === 'charged') this.storeLater(keyOf(cost));
    return charge;
  }

  /** Stores the remaining charges. Call it before the database is closed. Later charges are not stored. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelStore();
    await this.storing;
    await this.store();
  }

  private chargeWindow(cost: Cost): Charge {
    return this.windows.charge(keyOf(cost), cost.cost, quotas[cost.budget], this.parts.clock.now());
  }

  private addUnended(key: string, cost: number): void {
    const left = (this.unended.get(key) ?? 0) + cost;
    if (left === 0) this.unended.delete(key);
    else this.unended.set(key, left);
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
      await this.parts.changes.saveBudgets([...keys].flatMap((key) => this.asStored(key)));
    } catch (err) {
      this.parts.log.error(
        { code: 'budgets-unstored', err },
        'could not save how much of the API limits is used; trying again later',
      );
      for (const key of keys) this.storeLater(key);
    }
  }

  /** A window that has ended need not be stored: it would not limit anything. */
  private asStored(key: string): StoredBudget[] {
    const use = this.windows.use(key);
    if (use === undefined) return [];
    const [listingId, name] = partsOf(key);
    return [{ listingId, name, ...use, used: Math.max(0, use.used - (this.unended.get(key) ?? 0)) }];
  }
}

/** Neither part contains a space. */
const keyOf = ({ listingId, budget }: Cost): string => `${listingId} ${budget}`;
const partsOf = (key: string): [listingId: string, name: string] => {
  const [listingId = '', name = ''] = key.split(' ');
  return [listingId, name];
};
