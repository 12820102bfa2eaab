import { countText } from '../../core/list-text.ts';
import { type ApiBudget, budgets, type Charged } from '../store/budgets.ts';
import type { ApiContext, ApiParts } from './api-env.ts';
import { listingRemoved, rateLimited } from './fault.ts';
import { writeLimitHeaders } from './rate-limit-headers.ts';

/** What an operation costs the caller's listing. */
interface OperationCost {
  readonly budget: ApiBudget;
  readonly cost: number;
}

/** What each budget counts, in the singular. */
const units: Readonly<Record<ApiBudget, string>> = {
  'bot-stats': 'report',
  'vote-checks': 'checked user',
  'vote-reads': 'votes or stats request',
  'webhook-registrations': 'registration',
  'webhook-tests': 'test event',
};

/** Charges the listing for the work. A request that is refused or fails costs nothing (NS-13). */
export async function charged<Answer>(
  c: ApiContext,
  { store }: ApiParts,
  { budget, cost }: OperationCost,
  work: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const listingId = c.var.caller.listing.id;
  const done = store.budgets.charged({ listingId, budget, cost }, () => {
    // Looked up again, because it may have been removed while this request waited.
    if (store.listings.find(listingId) === null) throw listingRemoved();
    return work();
  });
  return answered(c, budget, await done);
}

function answered<Answer>(c: ApiContext, budget: ApiBudget, { charge, answer }: Charged<Answer>): Answer {
  const { kind, left, resetMs } = charge;
  const quota = budgets[budget];
  writeLimitHeaders(c, { policy: budget, quota, left, resetMs });
  if (kind === 'over')
    throw rateLimited(`The limit of one listing is ${countText(quota, units[budget])} a minute`, resetMs);
  return answer as Answer;
}
