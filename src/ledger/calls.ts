/** Which calls the ledger has, by how they are run: see `Schedule`. Its interface is derived from these lists. */
import { recount, wrongCounts } from './check.ts';
import { clock, releaseClock } from './clock.ts';
import * as figures from './figures.ts';
import * as findGrants from './find-grants.ts';
import { votePage, votes } from './find-votes.ts';
import { importBalances, importVotes } from './imports.ts';
import { pause, pauses, resume, timeZone } from './meta.ts';
import {
  cancel,
  continueAfter,
  giveReward,
  lateReward,
  markPaid,
  pay,
  rewardVote,
  voidVotes,
} from './operator.ts';
import {
  isEventWanted,
  latestEvents,
  nextPostAt,
  receiverStates,
  removeOldEvents,
  resendEvents,
  resumePosts,
  storeEvents,
  takePosts,
} from './outbox.ts';
import { fixParty, partyProgress, reachedParties } from './parties.ts';
import * as playerView from './player-view.ts';
import { holdNameTaken, mergePlayers, splitPlayer, storePresent, storeSeen } from './players.ts';
import { forgetPlayer, removeOld } from './privacy.ts';
import { causeOf, nextDueAt, pending, wait, waitForAbsent, waiting, waitingFor } from './queue.ts';
import { judge } from './record.ts';
import { countRefusals, endRun, keepRun, refusals, runs, summariseRefusals } from './refusals.ts';
import { practiceVotes, useConfig, voidPracticeVotes } from './running.ts';
import {
  firstSeen,
  keepListed,
  knownEvents,
  noteListed,
  payUnlisted,
  recoveredUntil,
  setRecoveredUntil,
  sharedWindows,
  signedServices,
  tallies,
  waitingVotes,
} from './sites.ts';
import {
  announce,
  applyTerms,
  holdOrphaned,
  nextTermAt,
  noteRestore,
  queueLengths,
  queues,
  settleInterrupted,
  storeQueueState,
} from './terms.ts';
import { dueTop, settledPlaces, settleTop, standings } from './tops.ts';

export const writes = {
  ...{ useConfig, noteRestore, voidVotes, voidPracticeVotes, rewardVote, recount, releaseClock },
  ...{ wait, waitForAbsent, settleInterrupted, announce, holdOrphaned, applyTerms, storeQueueState },
  ...{ storeSeen, holdNameTaken, mergePlayers, splitPlayer, storePresent, forgetPlayer, removeOld },
  ...{ importVotes, importBalances },
  ...{ pause, resume, pay, continueAfter, markPaid, cancel, giveReward },
  ...{ fixParty, settleTop },
  ...{ noteListed, keepListed, payUnlisted, firstSeen, setRecoveredUntil },
  ...{ countRefusals, keepRun, endRun },
  ...{ resumePosts, takePosts, storeEvents, summariseRefusals, removeOldEvents, resendEvents },
};
export const looks = {
  ...{ lateReward, pending, waiting, waitingFor, nextDueAt, causeOf, nextTermAt, pauses },
  ...{ reachedParties, dueTop },
  ...{ recoveredUntil, knownEvents, nextPostAt, isEventWanted },
};
export const reads = {
  // Whatever these files export is a call.
  ...{ ...figures, ...findGrants, ...playerView },
  ...{ clock, timeZone, judge, practiceVotes, votes, votePage },
  ...{ wrongCounts, queues, queueLengths },
  ...{ partyProgress, standings, settledPlaces },
  ...{ tallies, waitingVotes, sharedWindows, signedServices, refusals, runs, latestEvents, receiverStates },
};
