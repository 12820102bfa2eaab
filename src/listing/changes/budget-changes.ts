import type { Database } from '../../platform/sqlite/open.ts';
import { BudgetStore, type StoredBudget } from '../store/budget-store.ts';

/** How much of the API's limits is used. */
export const budgetChanges = (database: Database) => {
  const store = new BudgetStore(database);
  return {
    saveBudgets(budgets: readonly StoredBudget[]): void {
      for (const budget of budgets) store.save(budget);
    },
  };
};
