import { PAYS_ALL } from '../../src/core/pay.ts';
import { type PlayerName, playerKey } from '../../src/core/player-name.ts';
import { castTime, type Vote } from '../../src/core/vote.ts';
import type { Arrival } from '../../src/rewards/arrival.ts';
import { ALL_WON } from '../../src/rewards/draws.ts';
import type { Rules } from '../../src/rewards/reward.ts';

export const DAY = 24 * 60 * 60 * 1000;

const NOON = Date.parse('2026-06-01T12:00:00Z');

const NO_REWARDS: Rules = {
  rewards: [],
  parties: [],
  practiceServers: new Set(),
  labels: new Map(),
  listed: { player: [], user: [] },
  links: { player: [], user: [] },
  zone: 'UTC',
  pay: PAYS_ALL,
};

interface VoteFacts extends Partial<Omit<Vote, 'recipient'>> {
  readonly player?: string;
  readonly cooldownMs?: number;
}

/** Steve's v2 vote for `List`, claimed and received at noon, unless overridden. */
export function arrival({ player = 'Steve', cooldownMs = DAY, ...facts }: VoteFacts = {}): Arrival {
  const name = player as PlayerName;
  const receivedAt = facts.receivedAt ?? facts.claim?.at ?? NOON;
  const claim = facts.claim === undefined ? { at: receivedAt, precision: 'ms' as const } : facts.claim;
  const vote: Vote = {
    service: facts.site === undefined || facts.site === 'default' ? 'List' : facts.site,
    site: 'default',
    recipient: { kind: 'player', key: playerKey(name), player: name },
    castAt: castTime(claim, receivedAt),
    claim,
    receivedAt,
    channel: 'listener-v2',
    address: '192.0.2.1',
    eventId: null,
    blockDigest: null,
    wire: '{}',
    ...facts,
  };
  return {
    vote,
    cooldown: { kind: 'span', ms: cooldownMs },
    countsAll: false,
    draws: ALL_WON,
    rules: NO_REWARDS,
  };
}
