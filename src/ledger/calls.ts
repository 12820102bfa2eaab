/** Which calls the ledger has, by how they are run: see `Schedule`. Its interface is derived from these lists. */
import { lateReward, rewardVote, voidVotes } from './amend.ts';
import { isNetworkCountWrong, recount, wrongCounts, wrongParties } from './check.ts';
import { clock, releaseClock } from './clock.ts';
import { announce, settleInterrupted } from './closing.ts';
import {
  decisionChanges,
  firstGrants,
  firstVotes,
  receipts,
  revision,
  rewardSums,
  size,
  totals,
  voteSums,
} from './figures.ts';
import { grantStates, grants, grantsOfVotes } from './find-grants.ts';
import { grantActions, stuckCount, stuckGrants, stuckGroups } from './find-stuck.ts';
import { votePage, votes } from './find-votes.ts';
import { importBalances, importVotes } from './imports.ts';
import { timeZone } from './meta.ts';
import { cancel, continueAfter, giveReward, markPaid, pay } from './operator.ts';
import {
  addEvents,
  isEventWanted,
  latestEvents,
  nextPostAt,
  receiverStates,
  removeOldEvents,
  resendEvents,
  resumePosts,
  takePosts,
} from './outbox.ts';
import { fixParty, partyProgress, reachedParties } from './parties.ts';
import { pause, pauses, resume } from './pauses.ts';
import {
  namesBeginning,
  namesOfUuid,
  openSites,
  playerFigures,
  players,
  playerTotals,
  similarNames,
  windowEnds,
} from './player-view.ts';
import { holdNameTaken, mergePlayers, splitPlayer, storePresent, storeSeen } from './players.ts';
import { forgetPlayer, removeOld } from './privacy.ts';
import { causeOf, nextDueAt, pending, wait, waitForAbsent, waiting, waitingFor } from './queue.ts';
import { judge } from './record.ts';
import { countRefusals, endRun, keepRun, refusals, runs, summariseRefusals } from './refusals.ts';
import { noteRestore } from './restore.ts';
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
import { applyTerms, holdOrphaned, nextTermAt, queueLengths, queues, storeQueueState } from './terms.ts';
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
  ...{ resumePosts, takePosts, addEvents, summariseRefusals, removeOldEvents, resendEvents },
};
export const looks = {
  ...{ lateReward, pending, waiting, waitingFor, nextDueAt, causeOf, nextTermAt, pauses },
  ...{ reachedParties, dueTop },
  ...{ recoveredUntil, knownEvents, nextPostAt, isEventWanted },
};
export const reads = {
  ...{ clock, timeZone, judge, practiceVotes },
  ...{ votes, votePage, grants, grantsOfVotes, grantStates },
  ...{
    players,
    playerFigures,
    similarNames,
    namesBeginning,
    namesOfUuid,
    playerTotals,
    openSites,
    windowEnds,
  },
  ...{ wrongCounts, isNetworkCountWrong, wrongParties, queues, queueLengths },
  ...{ partyProgress, standings, settledPlaces },
  ...{ tallies, waitingVotes, sharedWindows, signedServices, refusals, runs, latestEvents, receiverStates },
  ...{ stuckGroups, stuckGrants, stuckCount, grantActions },
  ...{ revision, size, firstVotes, firstGrants, voteSums, decisionChanges, rewardSums, totals, receipts },
};
