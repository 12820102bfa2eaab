/** Votes and the rules that they are recorded by. Free of vitest, for processes of their own. */
import { PAYS_ALL } from '../../src/core/pay.ts';
import { type PlayerName, playerKey } from '../../src/core/player-name.ts';
import type { Arrival } from '../../src/rewards/arrival.ts';
import { ALL_WON } from '../../src/rewards/draws.ts';
import type { Reward, Rules } from '../../src/rewards/reward.ts';

/** A reward whose one command does not wait for the player. */
const reward = (name: string, more: Partial<Reward> = {}): Reward => ({
  when: 'always',
  ...{ name, was: [], if: {}, servers: ['main'], whereOnline: false },
  ...{ commands: ['say {player} voted'], prizes: [], oneOf: [], otherwise: [], messages: [] },
  ...{ announcement: null, safeToRunTwice: false, terms: null, limit: null, stop: false, firstOf: null },
  ...more,
});

/** One reward for each vote. */
export const ONE_REWARD_RULES: Rules = {
  ...{ rewards: [reward('thanks')], parties: [], practiceServers: new Set(), labels: new Map() },
  ...{ listed: { player: [], user: [] }, links: { player: [], user: [] }, zone: 'UTC', pay: PAYS_ALL },
};

/** Rewards of which all players together get only some. */
export const SCARCE_RULES: Rules = {
  ...ONE_REWARD_RULES,
  rewards: [
    reward('three', { limit: { per: 'network', count: 3, within: 'day' } }),
    reward('tenths', { if: { votes: { of: 'network', every: 10 } } }),
  ],
};

const NOON = Date.parse('2026-06-01T12:00:00Z');

/** A v2 vote, claimed and received at noon, with a cooldown of a day. */
export function arrival(rules: Rules, player = 'Steve', service = 'List'): Arrival {
  const name = player as PlayerName;
  return {
    vote: {
      ...{ service, site: 'default', castAt: NOON, receivedAt: NOON },
      claim: { at: NOON, precision: 'ms' },
      recipient: { kind: 'player', key: playerKey(name), player: name },
      channel: 'listener-v2',
      ...{ address: '192.0.2.1', eventId: null, blockDigest: null, wire: '{}' },
    },
    cooldown: { kind: 'span', ms: 24 * 60 * 60 * 1_000 },
    ...{ countsAll: false, draws: ALL_WON, rules },
  };
}
