import { z } from 'zod';
import type { GameServerKind } from '../delivery/game-server-kind.ts';
import { gameServerKinds } from '../delivery/kinds.ts';
import { duration, list, replyPattern, section } from './values.ts';

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

const kind = gameServerKinds.map(({ name, means }) => `${name}: ${means}.`).join(' ');

const sectionOf = ({ name, schema }: GameServerKind) =>
  section({ kind: z.literal(name).describe(kind), ...schema, ...common });

const [firstKind, ...otherKinds] = gameServerKinds.map(sectionOf) as [Section, ...Section[]];

type Section = ReturnType<typeof sectionOf>;

const NAME_SENTENCE = 'the name of a game server is 1 to 32 of A-Z a-z 0-9 _ . -';

const gameServerName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,32}$/, { error: NAME_SENTENCE })
  .meta({ title: 'name' });

export const gameServers = z
  .record(gameServerName, z.discriminatedUnion('kind', [firstKind, ...otherKinds]))
  .refine((servers) => Object.keys(servers).length > 0, { error: 'must name at least one game server' })
  .prefault({ main: { kind: 'practice' } })
  .describe('Where rewards are paid, by a name of your choice.');

/** An entry of any kind, with the keys that are its kind's own. */
export type GameServerEntry = z.output<z.ZodObject<typeof common>> & { readonly kind: string };
