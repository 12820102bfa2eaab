import * as z from 'zod';
import {
  connectingPort,
  duration,
  errorSentence,
  host,
  secretReference,
} from '../../../core/config-values.ts';
import type { ConfigOf } from '../../game-server-kind.ts';

const KEY_MAX = 4096;

const noKey = errorSentence(
  'must be the path of the listener’s public.key, or the key itself: the one line of that file, or PEM',
);

export const schema = {
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
