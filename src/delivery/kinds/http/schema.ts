import * as z from 'zod';
import { httpUrl, secretReference } from '../../../core/config-values.ts';
import type { ConfigOf } from '../../game-server-kind.ts';

export const schema = {
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
