import type { EventName } from '../../../protocol/webhook/events.ts';
import type { EventDescriptor } from './kind.ts';
import { grantDelivered, grantHeld } from './kinds/grant.ts';
import { health } from './kinds/health.ts';
import { partyReached } from './kinds/party.ts';
import { voteRefused } from './kinds/refused.ts';
import { voteCooldown, voteRewarded } from './kinds/vote.ts';

export const eventDescriptors: { readonly [Name in EventName]: EventDescriptor<Name> } = {
  'vote.rewarded': voteRewarded,
  'vote.cooldown': voteCooldown,
  'vote.refused': voteRefused,
  'grant.delivered': grantDelivered,
  'grant.held': grantHeld,
  party: partyReached,
  health,
};
