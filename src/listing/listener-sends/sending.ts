import { readPublicKey } from '../../../protocol/votifier/v1.ts';
import type { WireVote } from '../../../protocol/votifier/wire.ts';
import type { Clock } from '../../core/clock.ts';
import { type Auth, sendVote } from '../../sender/send.ts';
import type { Targets } from '../targets/target-rule.ts';
import type { ListenerSettings, SendEnd } from './send-store.ts';

/** Sends a vote to a listing's listener, once. Never rejects. */
export type Send = (vote: WireVote, settings: ListenerSettings) => Promise<SendEnd>;

/** Sends within the sender's limits of 5 s and 10 s, to public addresses only (NS-43). */
export const sendWith =
  (targets: Targets, clock: Clock): Send =>
  async (vote, settings) => {
    const auth = authOf(settings);
    if (auth === null) return KEY_UNUSABLE;
    const { host, port } = settings;
    const result = await sendVote(vote, { host, port, auth }, { clock, lookup: targets.lookup });
    const { kind: outcome, code, where, detail } = result;
    return { outcome, code, facts: { where, detail } };
  };

function authOf({ method, credential }: ListenerSettings): Auth | null {
  if (method === 'token') return { version: 'v2', token: credential };
  const reading = readPublicKey(credential);
  return reading.kind === 'key' ? { version: 'v1', publicKey: reading.key } : null;
}

const KEY_UNUSABLE: SendEnd = { outcome: 'failed', code: 'key-unusable', facts: null };

/** The listener was removed before the vote was sent. */
export const SETTINGS_REMOVED: SendEnd = { outcome: 'failed', code: 'no-settings', facts: null };

/** For votes that were waiting or in progress when the process stopped; which of the two is unknown (VT-10). */
export const CUT_OFF: SendEnd = { outcome: 'failed', code: 'cut-off', facts: null };

/** Voters' addresses are never shared (SV-11). */
const NO_ADDRESS = '0.0.0.0';

export const wireVote = (serviceName: string, player: string, castAt: number): WireVote => ({
  serviceName,
  username: player,
  address: NO_ADDRESS,
  timestamp: String(castAt),
});
