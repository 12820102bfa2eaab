import * as z from 'zod';
import { errorSentence, httpUrl, secretReference } from '../../../core/config-values.ts';
import type { ConfigOf } from '../../game-server-kind.ts';

const idError = errorSentence('must be the ID of the server, as in the address of its page in the panel');

export const schema = {
  url: httpUrl.describe('pterodactyl: the address of the panel, such as "https://panel.example.com".'),
  server: z
    .string(idError)
    .regex(/^[\da-f]{8}(?:-[\da-f]{4}){0,3}(?:-[\da-f]{12})?$/i, idError)
    .meta({ title: 'server ID' })
    .describe('pterodactyl: the ID of the server, as in the address of its page in the panel.'),
  apiKey: secretReference.describe(
    'pterodactyl: an API key of an account that may send commands to the server: "file:PATH", "env:NAME" or the text.',
  ),
  console: z
    .boolean()
    .default(true)
    .describe(
      'pterodactyl: whether Teller reads the console of the server, to see who is online and what commands print; the account needs the permission for that.',
    ),
};

export type PterodactylConfig = ConfigOf<typeof schema, 'apiKey'>;
