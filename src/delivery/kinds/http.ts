/** A program that takes each command as signed JSON over HTTP, and says in its answer how it ended. */
import * as z from 'zod';
import { httpUrl, secretReference } from '../../core/config-values.ts';
import type { ConfigOf, KindInConfig } from '../game-server.ts';

const schema = {
  url: httpUrl.describe('http: the URL that each command is posted to.'),
  secret: secretReference.describe(
    'http: the secret that signs each command, as for a webhook: "file:PATH", "env:NAME" or the text.',
  ),
  answers: z
    .boolean()
    .default(false)
    .describe(
      'http: whether the program says in its signed answers how each command ended, and who is online when Teller asks.',
    ),
};

export type HttpConfig = ConfigOf<typeof schema, 'secret'>;

/** The older codes of this kind, such as `http-busy`, stand with those that all kinds share. */
const reasons = {
  unknown: {
    'http.answer-unsigned':
      'the answer says how the command ended, but its signature is missing or wrong; sign the answer as docs/developers/http-game-server.md says',
  },
  cannotTell: {
    'http.players-unsigned':
      'the answer about who is online is not signed as docs/developers/http-game-server.md says',
    'http.players-unreadable':
      'the answer about who is online is not {"players": […]} with players who differ in name and UUID',
  },
};

export const http: KindInConfig<HttpConfig> = {
  name: 'http',
  means: 'a program that accepts signed JSON',
  schema,
  secretKey: 'secret',
  placeOf: ({ url }) => new URL(url).host,
  reasons,
  reportsPresence: ({ answers }) => answers === true,
  isPractice: false,
};
