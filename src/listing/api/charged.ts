import { type ApiBudget, budgets, type Charge } from '../store/budgets.ts';
import type { ApiContext, ApiParts } from './api-env.ts';
import { listingRemoved, rateLimited } from './fault.ts';
import { tellLimit } from './rate-limit-headers.ts';

export interface Cost {
  readonly budget: ApiBudget;
  readonly cost: number;
}

/** What one unit of a budget is. */
const units: Readonly<Record<ApiBudget, string>> = {
  'bot-stats': 'report',
  'vote-checks': 'checked users',
  'vote-reads': 'requests for votes and stats',
  'webhook-registrations': 'registrations',
  'webhook-tests': 'test deliveries',
};

/**
 * Does what was asked for and charges the listing for it, in one transaction: what is refused or fails costs nothing
 * (NS-13).
 */
export async function charged<Answer>(
  c: ApiContext,
  { store, clock }: ApiParts,
  { budget, cost }: Cost,
  work: () => Answer,
): Promise<Answer> {
  const listingId = c.var.caller.listing.id;
  const done = await store.write((): { charge: Charge; answer?: Answer } => {
    // Again: a removal may have been written while this request waited for its turn.
    if (store.listings.find(listingId) === null) throw listingRemoved();
    const charge = store.budgets.charge(listingId, budget, cost, clock.now());
    return charge.kind === 'over' ? { charge } : { charge, answer: work() };
  });
  const { kind, left, resetMs } = done.charge;
  const quota = budgets[budget];
  tellLimit(c, { policy: budget, quota, left, resetMs });
  if (kind === 'over') throw rateLimited(`At most ${quota} ${units[budget]} a minute for a listing`, resetMs);
  return done.answer as Answer;
}
