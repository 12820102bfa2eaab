/** A game server with Minecraft's remote console. */
import * as z from 'zod';
import { placeText } from '../../core/address.ts';
import { connectingPort, host, secretReference } from '../../core/config-values.ts';
import type { ConfigOf, KindInConfig } from '../game-server.ts';

const schema = {
  host: host.prefault('127.0.0.1').describe('rcon: where the game server listens.'),
  port: connectingPort.prefault(25_575).describe('rcon: `rcon.port` of server.properties; 25575 by default.'),
  password: secretReference.describe(
    'rcon: `rcon.password` of server.properties: "file:PATH", "env:NAME" or the text.',
  ),
  noReply: z
    .enum(['unknown', 'delivered'])
    .default('unknown')
    .describe(
      'rcon: what to assume when a command gets no reply but a following `list` does. Use "delivered" for a server that sends nothing for a command without output.',
    ),
};

type RconConfig = ConfigOf<typeof schema, 'password'>;

export const rcon: KindInConfig<RconConfig> = {
  name: 'rcon',
  means: 'a game server with RCON',
  schema,
  secretKey: 'password',
  placeOf: ({ host, port }) => placeText(host, port),
  reportsPresence: () => true,
  isPractice: false,
};
