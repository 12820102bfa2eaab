import type { Kinds } from '../../platform/sqlite/calls.ts';
import type { Changes } from '../changes/changes.ts';
import type { Reads } from '../reads/reads.ts';

/** Everything that is asked of the threads of the listing service's database. */
export type ListingCalls = Changes & Reads;

export const listingKinds: Kinds<ListingCalls> = {
  addAccount: 'write',
  setPassword: 'write',
  openSession: 'write',
  endSession: 'write',
  endSessionsOf: 'write',
  removeManager: 'write',
  invite: 'write',
  acceptInvitation: 'write',
  acceptInvitationAsNew: 'write',

  addListings: 'write',
  removeListing: 'write',
  saveBotStats: 'write',

  addToken: 'write',
  rotateToken: 'write',
  revokeToken: 'write',
  recordTokenUse: 'write',
  saveBudgets: 'write',

  recordVote: 'write',
  directory: 'read',
  voteFigures: 'read',
  voteList: 'read',

  registerWebhook: 'write',
  beginDelivery: 'write',
  beginRedelivery: 'write',
  cutOffDeliveries: 'write',
  deliveriesTurn: 'write',
  deliveryRows: 'read',
  deliveryDetail: 'read',
  undeliveredEvents: 'read',
  webhookHealth: 'read',
  eventRows: 'read',
  eventRow: 'read',
  attemptRows: 'read',

  saveListener: 'write',
  removeListener: 'write',
  beginSend: 'write',
  endOpenSends: 'write',
  sendsTurn: 'write',
  sendRows: 'read',
  sendFigures: 'read',
  lastSentFor: 'read',

  deleteOld: 'write',
  oldRows: 'read',
};
