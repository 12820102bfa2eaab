import type { Ending } from '../../web/show.ts';
import type { BudgetName } from '../store/budgets.ts';
import type { DashboardParts } from './parts.ts';

/** Charges a test to the budget that the API's tests use too (NS-18). null if the test is allowed. */
export function overTestBudget(
  { store }: Pick<DashboardParts, 'store'>,
  listingId: string,
  budget: Extract<BudgetName, 'webhook-tests' | 'test-votes'>,
): Ending | null {
  const charge = store.budgets.charge({ listingId, budget, cost: 1 });
  if (charge.kind !== 'over') return null;
  const seconds = Math.ceil(charge.resetMs / 1000);
  return {
    tone: 'warn',
    code: 'too-many-tests',
    text: `Too many tests. Try again in ${seconds} s.`,
    json: { retryAfterSeconds: seconds },
  };
}
