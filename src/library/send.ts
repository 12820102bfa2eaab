import { parsePublicKey } from '../config/keys.ts';
import { systemClock } from '../platform/clock.ts';
import { type Auth, sendVote } from '../sender/send.ts';
import type { SendTo, SendVote } from './api.ts';

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
  const target = { host: to.host, port: to.port, auth: authOf(to) };
  const { reached: arrived, code, sentence } = await sendVote(wire, target, { clock: systemClock });
  return { arrived, code, sentence };
};

const authOf = (to: SendTo): Auth =>
  'token' in to
    ? { version: 'v2', token: to.token }
    : { version: 'v1', publicKey: parsePublicKey(to.publicKey, '`publicKey`') };
