import { httpUrl, secretReference } from '../../config/values.ts';
import type { ConfigOf } from '../game-server-kind.ts';

export const schema = {
  url: httpUrl.describe('http: the URL that each command is posted to.'),
  secret: secretReference.describe(
    'http: the secret that signs each command, as for a webhook: "file:PATH", "env:NAME" or the text.',
  ),
};

export type HttpConfig = ConfigOf<typeof schema, 'secret'>;
