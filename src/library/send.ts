import { parsePublicKey } from '../config/keys.ts';
import { systemClock } from '../platform/clock.ts';
import type { SendResult } from '../sender/result.ts';
import { type Auth, sendVote } from '../sender/send-vote.ts';
import type { SendTo, SendVote, Sent } from './api.ts';

/** Some listeners refuse a vote without an address. */
const NO_VOTER = '127.0.0.1';

export const send: SendVote = async (vote, to) => {
  const { service, player, castAt = systemClock.now(), voterAddress = NO_VOTER } = vote;
  const wire = {
    serviceName: service,
    username: player,
    address: voterAddress,
    timestamp: String(castAt),
  };
  const { host, port } = to;
  return sentBy(await sendVote(wire, { host, port, auth: authOf(to) }, { clock: systemClock }));
};

const authOf = (to: SendTo): Auth =>
  'token' in to
    ? { version: 'v2', token: to.token }
    : { version: 'v1', publicKey: parsePublicKey(to.publicKey, '`publicKey`') };

const sentBy = (result: SendResult): Sent => ({
  arrived: arrived(result),
  code: result.code,
  sentence: result.sentence,
});

function arrived(result: SendResult): Sent['arrived'] {
  if (result.kind === 'accepted') return 'yes';
  return result.kind === 'sent' ? 'unknown' : result.reached;
}
