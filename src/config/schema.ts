import * as z from 'zod';
import {
  distinct,
  duration,
  file,
  folder,
  host,
  instant,
  line,
  list,
  listeningPort,
  network,
  origin,
  RESTART,
  secretReference,
  section,
  timeZone,
  wholeNumber,
} from '../core/config-values.ts';
import { RECEIVER_FORMATS } from '../core/receiver-form.ts';
import { consoleSchema } from './schema-console.ts';
import { events } from './schema-events.ts';
import { gameServers } from './schema-game-servers.ts';
import { rewards } from './schema-rewards.ts';
import { sites } from './schema-sites.ts';
import { party, tops } from './schema-together.ts';
import { publish, remind } from './schema-told.ts';

/**
 * Every key of the config with its bounds, default and meaning. `config explain`, the JSON Schema next to the config
 * and docs/reference/config.md are generated from it. Rules between keys are in `cross-check.ts`.
 */

const listener = section({
  host: host
    .prefault('::')
    .describe(
      'Address to listen on for votes. `::` and `0.0.0.0` mean every address, over IPv4 and, if the machine has it, IPv6.',
    )
    .meta(RESTART),
  port: listeningPort
    .prefault(8192)
    .describe('Port to listen on for votes; 0 picks a free one.')
    .meta(RESTART),
  protocols: distinct(z.enum(['v1', 'v2']), 1, 2)
    .prefault(['v1', 'v2'])
    .describe('Votifier versions to accept.'),
  proxyProtocol: z
    .enum(['off', 'required'])
    .default('off')
    .describe('required: every connection must begin with a PROXY header, which the proxy in front sends.'),
  trustedProxies: distinct(network, 0, 100)
    .prefault([])
    .describe(
      'Networks of the proxies that may send PROXY headers, if these are required; other connections are refused. Empty: any network.',
    ),
  maxConnections: wholeNumber(1, 100_000)
    .prefault(1024)
    .describe(
      'Connections at one time. At the limit, a new connection closes the oldest one without a vote, from the busiest address first.',
    ),
  maxConnectionsPerAddress: wholeNumber(1, 100_000)
    .prefault(32)
    .describe(
      'Connections at one time from one address (IPv6: from one /64). At the limit, a new connection closes the oldest one without a vote, once that is a second old.',
    ),
  deadline: duration('50ms', '5m').prefault('5s').describe('How long a sender may take for its whole vote.'),
});

const PREFIX_SENTENCE =
  'must be 1 to 3 characters other than @ " \' \\ / # ; spaces, and letters and digits other than A to Z and 0 to 9';

const bedrockPrefix = z
  .string({ error: PREFIX_SENTENCE })
  .regex(/^(?:[A-Za-z0-9_]|[^@"'\\/#;\s\p{C}\p{L}\p{N}\p{M}]){1,3}$/u, { error: PREFIX_SENTENCE })
  .meta({ title: 'prefix', example: '.' });

const players = section({
  bedrockPrefixes: distinct(bedrockPrefix, 0, 10)
    .prefault(['.', '*'])
    .describe('Prefixes that a cross-play bridge adds to the names of Bedrock players.'),
});

const pay = section({
  mode: z
    .enum(['real', 'shadow'])
    .default('real')
    .describe(
      'shadow: votes are stored and decided, and nothing is paid, while another listener pays. real: votes are paid.',
    ),
  from: instant
    .optional()
    .describe(
      'Only votes received at this time or later are paid; another listener pays earlier ones. Not read in shadow.',
    ),
});

const keep = section({
  addresses: duration('1h', '36600d')
    .optional()
    .describe('The addresses that votes and refusals came from. Default: for ever; refusals for 30 days.'),
  wire: duration('1h', '36600d')
    .optional()
    .describe('Votes as they were received, which `teller explain --bytes` shows. Default: for ever.'),
});

const webhook = section({
  host: host
    .prefault('::')
    .describe(
      'Address to listen on for signed webhooks, if a site has one; `::` and `0.0.0.0` as for the listener.',
    )
    .meta(RESTART),
  port: listeningPort
    .prefault(8191)
    .describe('Port to listen on for signed webhooks; 0 picks a free one.')
    .meta(RESTART),
  hosts: distinct(host, 0, 20)
    .prefault([])
    .describe(
      'Host names that listings post to, such as "votes.example.com"; addresses and localhost need no entry.',
    ),
});

/** Equal pauses are refused too: with the jitter that is added, the second could be the shorter one. */
const isIncreasing = (pausesMs: readonly number[]): boolean =>
  pausesMs.every((pauseMs, index) => index === 0 || pauseMs > (pausesMs[index - 1] ?? 0));

const listing = section({
  host: host
    .prefault('127.0.0.1')
    .describe('Address to listen on for the listing service’s pages and API.')
    .meta(RESTART),
  port: listeningPort
    .prefault(8190)
    .describe('Port to listen on for the listing service’s pages and API; 0 picks a free one.')
    .meta(RESTART),
  publicUrl: origin
    .optional()
    .describe('Address that browsers use, if a proxy is in front, such as "https://votes.example.com".')
    .meta(RESTART),
  database: file.prefault('data/listing.db').describe('The listing service’s SQLite file.').meta(RESTART),
  allowTargets: distinct(network, 0, 100)
    .prefault([])
    .describe('Private networks that webhooks and test votes may go to, such as "127.0.0.0/8".')
    .meta(RESTART),
  trustedProxies: distinct(network, 0, 100)
    .prefault([])
    .describe(
      'Networks of the reverse proxies in front. Their X-Forwarded-For is trusted, so that limits apply to each client instead of the proxy.',
    )
    .meta(RESTART),
  retrySchedule: list(duration('0s', '7d'), 1, 5)
    .refine(isIncreasing, { error: 'must be increasing: each pause longer than the one before' })
    .prefault(['10s', '1m', '10m', '1h', '6h'])
    .describe('Up to five pauses before a failed webhook is sent again, each longer than the one before.')
    .meta(RESTART),
  channelHosts: distinct(host, 0, 20)
    .prefault(['discord.com', 'discordapp.com', 'canary.discord.com', 'ptb.discord.com'])
    .describe('Hosts whose webhook URLs post to a chat channel.')
    .meta(RESTART),
});

const log = section({
  level: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest level to log.'),
  format: z
    .enum(['auto', 'text', 'json'])
    .default('auto')
    .describe('text: sentences. json: JSON lines. auto: sentences in a terminal, JSON otherwise.')
    .meta(RESTART),
});

const alarmReceiver = section({
  url: secretReference.describe(
    'Where messages are posted, such as the webhook of a chat channel: "file:PATH", "env:NAME" or the URL itself. Whoever has the URL of a channel’s webhook can post there, so it is a secret.',
  ),
  format: z
    .enum(RECEIVER_FORMATS)
    .default('auto')
    .describe(
      'chat: a message for a chat channel, as Discord, Slack and compatible chats take it. json: a JSON event for your own program. auto: chat for the hosts of Discord, Slack and Google Chat, otherwise json.',
    ),
  secret: secretReference
    .optional()
    .describe(
      'Secret that JSON events are signed with: "file:PATH", "env:NAME" or the secret itself. Default: they are not signed.',
    ),
  name: line(64)
    .optional()
    .describe('Name of this Teller at the beginning of each message, if you run several. Default: none.'),
});

const alarms = alarmReceiver
  .optional()
  .describe(
    'Notifies you once when something needs you and once when it is over, also while no page is open. Default: nobody is notified.',
  );

export const configSchema = section({
  listener: listener.prefault({}).describe('The TCP port for votes.'),
  keys: folder
    .prefault('data/keys')
    .describe('Folder of the RSA key pair for v1, public.key and private.key.')
    .meta(RESTART),
  sites,
  timeZone: timeZone
    .optional()
    .describe(
      'Time zone in which days, weeks and months begin, such as "Europe/Berlin". Default: that of the system.',
    )
    .meta(RESTART),
  players: players.prefault({}).describe('How player names are recognized.'),
  gameServers,
  rewards,
  party,
  tops,
  publish,
  remind,
  pay: pay.prefault({}).describe('Which votes are paid here, beside another listener.'),
  ledger: file
    .prefault('data/teller.db')
    .describe('SQLite file with every vote and every grant.')
    .meta(RESTART),
  keep: keep.prefault({}).describe('How long the ledger keeps what says more than the vote itself.'),
  alarms,
  events,
  webhook: webhook.prefault({}).describe('The HTTP port for signed webhooks.'),
  listing: listing.prefault({}).describe('The reference listing service (`teller listing`).'),
  console: consoleSchema.prefault({}).describe('The operator’s pages.'),
  log: log.prefault({}).describe('Logging.'),
});

/** A checked config with its defaults. Secrets are still references and paths are still relative. */
export type ConfigEntries = z.output<typeof configSchema>;
