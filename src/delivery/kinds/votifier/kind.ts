import { readPublicKey } from '../../../../protocol/votifier/v1.ts';
import { placeText } from '../../../core/address.ts';
import type { GameServerKind } from '../../game-server-kind.ts';
import { reasons } from './codes.ts';
import { faultsOf } from './faults.ts';
import { schema, type VotifierConfig } from './schema.ts';

const load = () => import('./game-server.ts');

/** Another listener, which gets the votes themselves. */
export const votifier: GameServerKind<VotifierConfig> = {
  name: 'votifier',
  means: 'another listener, to which each vote is forwarded',
  schema,
  secretKey: 'token',
  pathKeys: ['publicKey'],
  isPath: (text) => !text.includes('-BEGIN ') && readPublicKey(text).kind !== 'key',
  faultsOf,
  reasons,
  placeOf: ({ host, port }) => placeText(host, port),
  reportsPresence: () => false,
  isPractice: false,
  load,
  forwardTerms: ({ maxAge, pays }) => ({ maxAgeMs: maxAge, pays }),
  async connect(server, { name, clock, random, log }) {
    const { votifierGameServer } = await load();
    return votifierGameServer({ ...server, name, clock, random, log });
  },
  async check(server, parts) {
    const { checkVotifier } = await import('./check.ts');
    return [await checkVotifier(server, parts)];
  },
};
