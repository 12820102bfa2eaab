import * as z from 'zod';
import { messagesOf } from './schema-messages.ts';

const lenient = <Kind extends z.ZodType>(kind: Kind) => kind.optional().catch(undefined);

const commandList = lenient(z.array(z.unknown()));

const rewardOutline = z.object({
  name: lenient(z.string()),
  /** Not checked: each condition reads its own value. */
  if: lenient(z.record(z.string(), z.unknown())),
  /** Not checked: leaving it out has a meaning of its own. */
  servers: z.unknown().optional(),
  when: lenient(z.string()),
  commands: commandList,
  prizes: lenient(z.record(z.string(), commandList)),
  oneOf: lenient(z.array(lenient(z.object({ commands: commandList })))),
  otherwise: commandList,
  message: lenient(z.string()),
  broadcast: lenient(z.string()),
  announce: lenient(z.boolean()),
  title: lenient(z.string()),
  sound: lenient(z.string()),
});

export type RewardOutline = z.output<typeof rewardOutline>;

/** Every command of a reward, as written, and those that its messages become. */
export const commandsIn = ({
  commands = [],
  prizes = {},
  oneOf = [],
  otherwise = [],
  ...messages
}: RewardOutline) =>
  [
    commands,
    ...Object.values(prizes).map((each) => each ?? []),
    ...oneOf.map((each) => each?.commands ?? []),
    otherwise,
    messagesOf(messages),
  ].flat();

const receiver = { url: lenient(z.string()), secret: lenient(z.string()), format: lenient(z.string()) };

/**
 * The sites, game servers, rewards and files of a config, as far as they can be read. Invalid parts are left out, so
 * that unknown names are reported in the same run as invalid values.
 */
const outline = z.object({
  listener: z
    .object({ host: z.string().prefault('::').catch('::'), port: z.int().prefault(8192).catch(0) })
    .prefault({})
    .catch({ host: '::', port: 0 }),
  pay: z
    .object({ mode: z.string().prefault('real').catch('shadow'), from: z.unknown().optional() })
    .prefault({})
    .catch({ mode: 'shadow' }),
  sites: z
    .record(
      z.string(),
      lenient(
        z.object({
          token: lenient(z.string()),
          api: lenient(z.object({ token: lenient(z.string()) })),
          webhook: lenient(z.object({ secret: lenient(z.string()), path: lenient(z.string()) })),
        }),
      ),
    )
    .catch({}),
  gameServers: z
    .record(
      z.string(),
      lenient(
        // The kind says which key holds the secret.
        z.looseObject({ kind: lenient(z.string()) }),
      ),
    )
    .prefault({ main: {} })
    .catch({}),
  // The default rewards name no game server either.
  rewards: z
    .array(lenient(rewardOutline.extend({ firstOf: lenient(z.array(lenient(rewardOutline))) })))
    .prefault([{ name: 'thanks' }, { name: 'each-vote', servers: 'all' }, { name: 'daily', servers: 'all' }])
    .catch([]),
  party: z
    .array(lenient(rewardOutline.extend({ for: lenient(z.string()) })))
    .prefault([])
    .catch([]),
  publish: z.array(lenient(rewardOutline)).prefault([]).catch([]),
  remind: z.array(lenient(rewardOutline)).prefault([]).catch([]),
  tops: z.array(lenient(rewardOutline)).prefault([]).catch([]),
  alarms: lenient(z.object(receiver)),
  events: z
    .array(lenient(z.object(receiver)))
    .prefault([])
    .catch([]),
  ledger: z.string().prefault('data/teller.db').catch(''),
  console: z
    .object({
      host: z.string().prefault('127.0.0.1').catch('127.0.0.1'),
      password: lenient(z.string()),
      metricsToken: lenient(z.string()),
    })
    .prefault({})
    .catch({ host: '127.0.0.1' }),
  listing: z
    .object({ database: z.string().prefault('data/listing.db').catch('') })
    .prefault({})
    .catch({ database: '' }),
});

export type Outline = z.output<typeof outline>;

export const outlineOf = (value: unknown): Outline => outline.catch(outline.parse({})).parse(value);
