import type { Kinds } from '../../sqlite/calls.ts';
import type { LedgerCalls } from '../ledger.ts';

/** How each call of the ledger is run. What the deliverer reads comes from the writing connection, in order. */
export const ledgerKinds: Kinds<LedgerCalls> = {
  record: 'write',
  countRefusals: 'write',
  useTimeZone: 'write',

  pending: 'look',
  waiting: 'look',
  waitingFor: 'look',
  nextDueAt: 'look',
  wait: 'write',
  waitForAbsent: 'write',
  storeLikelyPlayers: 'write',
  claim: 'write',
  settle: 'settle',
  startDelivering: 'outside',
  stopDelivering: 'outside',
  settleInterrupted: 'write',
  holdOrphaned: 'write',
  storeQueueState: 'write',
  version: 'outside',

  voteRewardRefusal: 'look',
  rewardVote: 'write',
  pay: 'write',
  continueAfter: 'write',
  markPaid: 'write',
  cancel: 'write',
  releaseClock: 'write',

  firstSeen: 'write',
  recoveredUntil: 'look',
  setRecoveredUntil: 'write',
  knownEvents: 'look',

  votes: 'read',
  grants: 'read',
  tallies: 'read',
  refusals: 'read',
  sharedWindows: 'read',
  signedServices: 'read',
  rewardedSince: 'read',
  grantStates: 'read',
  queues: 'read',
  recipientKeys: 'read',
  timeZone: 'read',
  clock: 'read',
  missing: 'read',
  deepParts: 'read',
  damagesIn: 'read',
};
