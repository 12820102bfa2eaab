import { httpUrl, secretReference } from '../../config/values.ts';
import type { ConfigOf } from '../game-server-kind.ts';

export const schema = {
  url: httpUrl.describe('http: where each command is posted to.'),
  secret: secretReference.describe(
    'http: signs what is posted, as a webhook is: "file:PATH", "env:NAME" or the text.',
  ),
};

export type HttpConfig = ConfigOf<typeof schema, 'secret'>;
