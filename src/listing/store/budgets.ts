import type { Database } from '../../sqlite/open.ts';

export const BUDGET_WINDOW_MS = 60_000;

/** What a listing may ask the API for in one window; checked users for `vote-checks`, requests for the others (NS-18). */
export const budgets = {
  'bot-stats': 1,
  'vote-checks': 120,
  'vote-reads': 30,
  'webhook-registrations': 10,
  'webhook-tests': 5,
} as const;

/** The same for what only the dashboard does. */
const dashboardBudgets = { 'test-votes': 10 } as const;

const quotas = { ...budgets, ...dashboardBudgets };

export type ApiBudget = keyof typeof budgets;
export type BudgetName = keyof typeof quotas;

export interface Charge {
  /** `over` has charged nothing (NS-13). */
  readonly kind: 'charged' | 'over';
  readonly left: number;
  /** Until the window ends and all of the budget is back. */
  readonly resetMs: number;
}

interface Window {
  readonly openedAt: number;
  readonly used: number;
}

/** Budgets by listing, never by token; in the database, so that neither a rotation nor a restart resets one. */
export class Budgets {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /**
   * Charges `cost` where the window holds it. Exact between processes, too, when the caller holds the transaction;
   * with the work in the same one, only what is answered is charged.
   */
  charge(listingId: string, name: BudgetName, cost: number, now: number): Charge {
    const { openedAt, used } = this.window(listingId, name, now);
    const resetMs = openedAt + BUDGET_WINDOW_MS - now;
    const left = quotas[name] - used;
    if (cost > left) return { kind: 'over', left, resetMs };
    this.statements.save.run(listingId, name, openedAt, used + cost);
    return { kind: 'charged', left: left - cost, resetMs };
  }

  /** The open window, or a new one. One from the future is none: the clock was set back, and nobody waits for it. */
  private window(listingId: string, name: BudgetName, now: number): Window {
    const last = this.statements.find.get(listingId, name) as Window | undefined;
    const isOpen = last !== undefined && last.openedAt <= now && now < last.openedAt + BUDGET_WINDOW_MS;
    return isOpen ? last : { openedAt: now, used: 0 };
  }
}

const prepareStatements = (db: Database) => ({
  find: db.prepare('SELECT opened_at AS openedAt, used FROM budgets WHERE listing_id = ? AND name = ?'),
  save: db.prepare(`
    INSERT INTO budgets (listing_id, name, opened_at, used) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET opened_at = excluded.opened_at, used = excluded.used`),
});
