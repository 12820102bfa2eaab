import type { Synchronous } from '../../platform/sqlite/calls.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { TogetherLedger } from '../ledger.ts';
import type { ClockKeeping } from './clock-keeping.ts';
import type { Known } from './known.ts';
import { PartyFixing } from './party-fixing.ts';
import { TopSettling } from './top-settling.ts';

/** The calls about what players earn together. */
export function togetherOf(
  database: Database,
  { rewards }: Known,
  clock: ClockKeeping,
): Synchronous<TogetherLedger> {
  const parties = new PartyFixing(database, rewards);
  const tops = new TopSettling(database, rewards);
  return {
    reachedParties: () => parties.reached(),
    fixParty: (order, after, now) => parties.fix(order, after, now),
    areVotesMoving: () => clock.areVotesMoving(),
    moveVotes: () => clock.moveVotes(),
    dueTop: (top, upTo) => (clock.areVotesMoving() ? null : tops.due(top, upTo)),
    settleTop: (order, now) => tops.settle(order, now),
  };
}
