/** Another listener, which gets the votes themselves. */
import * as z from 'zod';
import { readPublicKey } from '../../../protocol/votifier/v1.ts';
import { placeText } from '../../core/address.ts';
import { connectingPort, duration, errorSentence, host, secretReference } from '../../core/config-values.ts';
import type { ConfigAround, ConfigOf, KindFault, KindInConfig } from '../game-server.ts';

const KEY_MAX = 4096;

const noKey = errorSentence(
  'must be the path of the listener’s public.key, or the key itself: the one line of that file, or PEM',
);

const schema = {
  host: host.prefault('127.0.0.1').describe('votifier: where the other listener is.'),
  port: connectingPort.prefault(8192).describe('votifier: its port; 8192 by default.'),
  protocol: z
    .enum(['v2', 'v1'])
    .default('v2')
    .describe(
      'votifier: the Votifier version to send. v2 needs `token` and confirms each vote; v1 needs `publicKey` and confirms nothing.',
    ),
  token: secretReference
    .optional()
    .describe('votifier: the token of the other listener, for v2: "file:PATH", "env:NAME" or the text.'),
  publicKey: z
    .string(noKey)
    .min(1, noKey)
    .max(KEY_MAX, noKey)
    .meta({ title: 'file or key' })
    .optional()
    .describe(
      'votifier: the public key of the other listener, for v1: the path of its public.key, or the key itself.',
    ),
  pays: z
    .boolean()
    .default(false)
    .describe(
      'votifier: whether the other listener pays for the votes that it gets. If so, only votes that are not paid here are forwarded to it (`pay`).',
    ),
  maxAge: duration('1m', '366d')
    .prefault('24h')
    .describe('votifier: a vote that could not be forwarded for so long is not forwarded any more.'),
};

export type VotifierConfig = ConfigOf<typeof schema, 'token'>;

/** Why a vote was not forwarded, or may not have been. */
const reasons = {
  notSent: {
    'votifier.unreachable': 'cannot connect to its host and port; check that the other listener is running',
    'votifier.host-unknown': 'the name in `host` cannot be resolved; correct it, or use the IP address',
    'votifier.no-greeting':
      'its host and port accept connections, but no Votifier greeting came; check that this is the port for votes, and that it allows this address',
    'votifier.foreign-greeting':
      'what listens at its host and port is not a Votifier listener; check the port',
    'votifier.other-version':
      'it greets with a version other than 2; set `"protocol": "v1"` and its `publicKey` if it takes version 1',
    'votifier.closed-early': 'it closed the connection before the vote was written',
    'votifier.key-unusable':
      '`publicKey` is neither the path of a readable file with the listener’s public key nor that key; correct it',
    'votifier.wrong-token': 'it answered that the signature is wrong; compare `token` with its own',
    'votifier.unknown-service': 'it answered that it has no token for this service name; add one there',
    'votifier.error-answer': 'it answered with an error, so the vote does not count there',
  },
  neverSent: {
    'votifier.too-long': 'its fields are longer together than the protocol version allows',
    'votifier.line-break': 'a field contains a line break, which would begin the next field',
    'votifier.not-a-vote': 'it is a command, and this game server takes votes',
  },
  unknown: {
    'votifier.bad-answer': 'the answer is not a Votifier reply',
    'votifier.reset': 'the connection was reset after the vote was written',
    'votifier.not-closed':
      'the other listener did not close the connection in time after the vote was written',
  },
  cannotTell: {
    'votifier.shows-nobody': 'a game server of kind votifier takes votes and cannot report who is online',
  },
};

/** Why a vote was not sent that only this kind knows. */
export type VotifierNotSent = keyof typeof reasons.notSent;

export const votifier: KindInConfig<VotifierConfig> = {
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
  forwardTerms: ({ maxAge, pays }) => ({ maxAgeMs: maxAge, pays }),
};

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|0\.0\.0\.0|::)$/i;

/** What is wrong with an entry beside its single keys. */
function faultsOf(
  entry: Readonly<Record<string, unknown>>,
  { listener, isAllPaidHere }: ConfigAround,
): readonly KindFault[] {
  const { host = '127.0.0.1', port = 8192, protocol = 'v2', token, publicKey, pays } = entry;
  const faults: KindFault[] = [];
  const add = (key: string, sentence: string) => faults.push({ key, sentence });
  if (protocol === 'v2' && token === undefined)
    add('token', 'is missing; version 2 signs each vote with the token of the other listener');
  if (protocol === 'v1' && publicKey === undefined)
    add('publicKey', 'is missing; version 1 encrypts each vote with the public key of the other listener');
  // What it sent to itself would be recognized as the same votes, but nothing would be forwarded.
  if (port === listener.port && (host === listener.host || LOOPBACK.test(String(host))))
    add('port', `is the port of this Teller's own listener (listener.port); name the port of the other one`);
  if (pays === true && isAllPaidHere)
    add(
      'pays',
      'needs a `pay` that leaves votes to the other listener, or both would pay: set "pay": {"mode": "shadow"}, or pay.from to the time of the hand-over',
    );
  return faults;
}
