import * as z from 'zod';
import { duration, list, replyPattern, section } from '../core/config-values.ts';
import { GAME_VERSION } from '../core/game-version.ts';
import type { GameServerKind } from '../delivery/game-server.ts';
import { gameServerKinds } from '../delivery/kinds.ts';

const VERSION_SENTENCE = 'must be a version of Minecraft, such as "1.21.4"';

const common = {
  commandPause: duration('0s', '1m')
    .prefault('0s')
    .describe(
      'Minimum time from the end of one command to the start of the next; some versions crash under rapid commands. After a query, such as who is online, the pause is half a second at most.',
    ),
  commandTimeout: duration('100ms', '10m')
    .prefault('10s')
    .describe('How long to wait for the complete reply. After that, the outcome is unknown.'),
  joinDelay: duration('0s', '1h')
    .prefault('1s')
    .describe('How long to wait after a player is first seen online before paying their grants.'),
  presenceInterval: duration('100ms', '1h')
    .prefault('10s')
    .describe('How often to read the list of players while a grant waits for a player.'),
  refusedReplies: list(replyPattern, 0, 50)
    .prefault([])
    .describe(
      'Replies that mean the command was refused, in addition to the built-in ones; case is ignored.',
    ),
  offlineReplies: list(replyPattern, 0, 50)
    .prefault([])
    .describe(
      'Replies that mean the player is not online, in addition to the built-in ones; case is ignored.',
    ),
  version: z
    .string({ error: VERSION_SENTENCE })
    .regex(GAME_VERSION, { error: VERSION_SENTENCE })
    .meta({ title: 'version' })
    .optional()
    .describe(
      'Version of Minecraft, such as "1.21.4". Rewards with a `sound` or with colours such as `&#ff8800` need it, because those are not known to every version.',
    ),
  deliveredReplies: list(replyPattern, 0, 50)
    .prefault([])
    .describe(
      'Replies that look like a failure but mean that the command succeeded. These are checked first; case is ignored.',
    ),
};

const kind = gameServerKinds.map(({ name, means }) => `${name}: ${means}.`).join(' ');

/** What a kind that takes votes does not have: it shows no players and answers no commands. */
const { commandPause, commandTimeout, ...aboutCommands } = common;

const sectionOf = ({ name, schema, forwardTerms }: GameServerKind) => {
  const own = { kind: z.literal(name).describe(kind), ...schema };
  const all = { ...own, ...common };
  // The type of an entry stays that of the others: `resolve.ts` fills in what is left out.
  return section(
    forwardTerms === undefined ? all : ({ ...own, commandPause, commandTimeout } as unknown as typeof all),
  );
};

const [firstKind, ...otherKinds] = gameServerKinds.map(sectionOf) as [Section, ...Section[]];

type Section = ReturnType<typeof sectionOf>;

/** Follows the name of the field. */
export const GAME_SERVER_NAME_RULE = 'must be 1 to 32 characters out of A-Z a-z 0-9 _ . -';
const NAME_SENTENCE = `the name of a game server ${GAME_SERVER_NAME_RULE}`;

export const gameServerName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,32}$/, { error: NAME_SENTENCE })
  .meta({ title: 'name', example: 'main' });

export const gameServers = z
  .record(gameServerName, z.discriminatedUnion('kind', [firstKind, ...otherKinds]))
  .refine((servers) => Object.keys(servers).length > 0, { error: 'must name at least one game server' })
  .prefault({ main: { kind: 'practice' } })
  .describe('The servers on which rewards are paid, by names of your choice.');

/** An entry of any kind, including the keys of its kind. */
export type GameServerEntry = CommonEntry & { readonly kind: string };

type CommonEntry = z.output<z.ZodObject<typeof common>>;

/** What entries have that say nothing about commands. */
export const NO_COMMANDS = z.object(aboutCommands).parse({});
