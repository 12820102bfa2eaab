import { z } from 'zod';
import {
  connectingPort,
  duration,
  host,
  httpUrl,
  list,
  replyPattern,
  secretReference,
  section,
} from './values.ts';

const common = {
  commandPause: duration('0s', '1m')
    .prefault('0s')
    .describe(
      "Least time from one command's end to the next one's start; some versions crash under rapid ones. After a question, such as who is online, it is half a second at most.",
    ),
  commandTimeout: duration('100ms', '10m')
    .prefault('10s')
    .describe('How long a complete reply is waited for before the outcome is unknown.'),
  joinDelay: duration('0s', '1h')
    .prefault('1s')
    .describe('How long after a player was first seen online their grants are tried.'),
  presenceInterval: duration('100ms', '1h')
    .prefault('10s')
    .describe('How often the list of players is read while somebody is waited for.'),
  refusedReplies: list(replyPattern, 0, 50)
    .prefault([])
    .describe('Replies that mean the command was refused, besides the built-in ones; case does not matter.'),
  offlineReplies: list(replyPattern, 0, 50)
    .prefault([])
    .describe('Replies that mean the player is not online, besides the built-in ones; case does not matter.'),
  deliveredReplies: list(replyPattern, 0, 50)
    .prefault([])
    .describe(
      'Replies that mean the command did its work although they look like a failure; they are looked for first, and case does not matter.',
    ),
};

const kind =
  'practice: the game server inside this process. rcon: a real one. http: whatever takes signed JSON.';

const practiceServer = section({
  kind: z.literal('practice').describe(kind),
  autoJoin: z.boolean().default(true).describe('practice: whether a voter joins by himself.'),
  ...common,
});

const rconServer = section({
  kind: z.literal('rcon').describe(kind),
  host: host.prefault('127.0.0.1').describe('rcon: where the game server listens.'),
  port: connectingPort.prefault(25_575).describe('rcon: `rcon.port` of server.properties.'),
  password: secretReference.describe(
    'rcon: `rcon.password` of server.properties: "file:PATH", "env:NAME" or the text.',
  ),
  noReply: z
    .enum(['unknown', 'delivered'])
    .default('unknown')
    .describe(
      'rcon: what it means that a command gets no reply although a `list` after it does: "delivered" is for a server that sends nothing for a command without output.',
    ),
  ...common,
});

const httpServer = section({
  kind: z.literal('http').describe(kind),
  url: httpUrl.describe('http: where each command is posted to.'),
  secret: secretReference.describe(
    'http: signs what is posted, as a webhook is: "file:PATH", "env:NAME" or the text.',
  ),
  ...common,
});

const NAME_SENTENCE = 'the name of a game server is 1 to 32 of A-Z a-z 0-9 _ . -';

const gameServerName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,32}$/, { error: NAME_SENTENCE })
  .meta({ title: 'name' });

export const gameServers = z
  .record(gameServerName, z.discriminatedUnion('kind', [practiceServer, rconServer, httpServer]))
  .refine((servers) => Object.keys(servers).length > 0, { error: 'must name at least one game server' })
  .prefault({ main: { kind: 'practice' } })
  .describe('Where rewards are paid, by a name of your choice.');

export type GameServerEntry =
  | z.output<typeof practiceServer>
  | z.output<typeof rconServer>
  | z.output<typeof httpServer>;
