import type { Synchronous } from '../../platform/sqlite/calls.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { OperatorLedger } from '../ledger.ts';
import type { ClockKeeping } from './clock-keeping.ts';
import { CountsCheck } from './counts-check.ts';
import { Forgetting } from './forgetting.ts';
import { Giving } from './giving.ts';
import type { Known } from './known.ts';
import { Merging } from './merging.ts';
import { Operating } from './operating.ts';
import { Pausing } from './pausing.ts';
import { PracticeVoiding } from './practice-votes.ts';
import { Rewarding } from './rewarding.ts';
import { Seeing } from './seeing.ts';
import { Voiding } from './voiding.ts';

export function operatorOf(
  database: Database,
  { rewards, reasons }: Known,
  clockKeeping: ClockKeeping,
): Synchronous<OperatorLedger> {
  const operating = new Operating(database);
  const rewarding = new Rewarding(database, rewards, reasons);
  const giving = new Giving(database, rewards);
  const voiding = new Voiding(database, rewards);
  const practice = new PracticeVoiding(database, rewards);
  const pausing = new Pausing(database);
  const forgetting = new Forgetting(database);
  const merging = new Merging(database, new Seeing(database, rewards));
  return {
    lateReward: (voteId, by) => rewarding.late(voteId, by),
    rewardVote: (voteId, by, now) => rewarding.reward(voteId, by, now),
    giveReward: (given, now) => giving.give(given, now),
    voidVotes: (ids, order, now) => voiding.void(ids, order, now),
    voidPracticeVotes: (order, now) => practice.void(order, now),
    pause: (scope, by, now) => pausing.pause(scope, by, now),
    resume: (scope, now) => pausing.resume(scope, now),
    mergePlayers: (order, now) => merging.merge(order, now),
    forgetPlayer: (order, progress, now) => forgetting.forget(order, progress, now),
    splitPlayer: (order, now) => merging.split(order, now),
    recount: ({ recipients, network, parties }) => {
      const counts = new CountsCheck(database);
      counts.recount(recipients);
      if (network) counts.recountNetwork();
      counts.recountParties(parties);
    },
    pay: (grantId, order, now) => operating.pay(grantId, order, now),
    continueAfter: (grantId, order, now) => operating.continueAfter(grantId, order, now),
    markPaid: (grantId, order, now) => operating.markPaid(grantId, order, now),
    cancel: (grantId, order, now) => operating.cancel(grantId, order, now),
    releaseClock: (wall, progress, now) => clockKeeping.release(wall, progress, now),
  };
}
