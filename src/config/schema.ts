import { z } from 'zod';
import { gameServers } from './schema-game-servers.ts';
import { rewards } from './schema-rewards.ts';
import {
  distinct,
  duration,
  file,
  folder,
  host,
  httpUrl,
  instant,
  line,
  list,
  listeningPort,
  network,
  origin,
  RESTART,
  secretReference,
  section,
  serviceName,
  wholeNumber,
} from './values.ts';

/**
 * Every key of the config with its bounds, its default and its meaning, said once: `config explain`, the JSON
 * Schema beside the config and docs/reference/config.md are made from it. What one key asks of another (`cross-check.ts`)
 * cannot be said here.
 */

const listener = section({
  host: host
    .prefault('::')
    .describe(
      'Address that votes come in on. `::` and `0.0.0.0`: every address, over IPv4 and, where the system has it, IPv6; one address: that one alone.',
    )
    .meta(RESTART),
  port: listeningPort
    .prefault(8192)
    .describe('Port that votes come in on; 0 takes any free one.')
    .meta(RESTART),
  protocols: distinct(z.enum(['v1', 'v2']), 1, 2)
    .prefault(['v1', 'v2'])
    .describe('Votifier versions that are taken.'),
  proxyProtocol: z
    .enum(['off', 'required'])
    .default('off')
    .describe(
      'required: every connection begins with a PROXY header, because a proxy that sends it is in front.',
    ),
  trustedProxies: distinct(network, 0, 100)
    .prefault([])
    .describe(
      'Networks whose PROXY headers are believed where they are required; connections from elsewhere are refused. Empty: any.',
    ),
  maxConnections: wholeNumber(1, 100_000)
    .prefault(1024)
    .describe(
      'Connections at one time. Beyond it the oldest without a vote goes, from the busiest address first.',
    ),
  maxConnectionsPerAddress: wholeNumber(1, 100_000)
    .prefault(32)
    .describe(
      'Connections at one time from one address (IPv6: from one /64). Beyond it the oldest without a vote is closed, once it is a second old.',
    ),
  deadline: duration('50ms', '5m').prefault('5s').describe('How long a sender has for its whole vote.'),
});

const LABEL_SENTENCE = 'must be a text of 1 to 64 bytes on one line, without { } " and \\';

// Without these marks a label can neither hold a placeholder nor end the text of a JSON command it is put into.
const label = z
  .string({ error: LABEL_SENTENCE })
  .regex(/^[^{}"\\\p{C}]+$/u, { error: LABEL_SENTENCE })
  .refine((text) => Buffer.byteLength(text) <= 64, { error: LABEL_SENTENCE })
  .meta({ title: 'text' });

const api = section({
  baseUrl: httpUrl.describe('Root of the listing service’s API, which ends in /api/v1.'),
  token: secretReference.describe(
    'A token of the listing with the scope votes:read: "file:PATH", "env:NAME" or the text.',
  ),
  payFrom: instant
    .optional()
    .describe(
      'Votes cast before it are counted and never rewarded. Without it: when Teller first met the site, by its first vote or the first start with this entry.',
    ),
  maxAge: duration('1h', '90d')
    .prefault('48h')
    .describe('Votes that come by the API or by webhook later than this are counted and not rewarded.'),
  interval: duration('10s', '1d')
    .prefault('2m')
    .describe('How often it is asked for votes that were missed.'),
});

const SITE_PATH = 'must be a path of 1 to 200 of A-Z a-z 0-9 / . _ - that begins with a slash';

const siteWebhook = section({
  path: z
    .string({ error: SITE_PATH })
    .regex(/^\/[A-Za-z0-9/._-]{0,199}$/, { error: SITE_PATH })
    .meta({ title: 'path' })
    .describe('Where the listing service posts to; it tells which site a delivery is from.'),
  secret: secretReference.describe('The signing secret: "file:PATH", "env:NAME" or the text.'),
  listingId: line(128).describe('The listing’s ID; a delivery for another one is refused.'),
});

const site = section({
  token: secretReference
    .optional()
    .describe(
      'The v2 token that this listing has: "file:PATH", "env:NAME" or the text. Without it: the token of `default`.',
    ),
  cooldown: duration('1s', '366d')
    .optional()
    .describe(
      'Least time between two rewarded votes of a player. Without it: that of `default`, which has 24h.',
    ),
  protocols: distinct(z.enum(['v1', 'v2']), 1, 2)
    .optional()
    .describe(
      'Votifier versions that are taken from it. Without it: those of `default`, else of the listener.',
    ),
  from: distinct(network, 1, 100)
    .optional()
    .describe(
      'Networks that its votes by listener may come from: anybody who has seen a public key can forge v1 votes. Without it: those of `default`, else any.',
    ),
  game: z
    .enum(['minecraft', 'fivem', 'roblox', 'hytale', 'bot'])
    .default('minecraft')
    .describe('What is listed. Votes for minecraft pay a player, all others a user ID.'),
  api: api
    .optional()
    .describe('Finds the votes that were missed while Teller was down, in the listing’s API.'),
  webhook: siteWebhook.optional().describe('Takes the listing’s signed webhook as another way in.'),
  label: label.optional().describe('What {site} shows. Without it: the service name.'),
});

const sites = z
  .record(serviceName, site)
  .prefault({ default: { cooldown: '24h' } })
  .describe(
    'Listings by the service name they send ("" where they send none); `default` stands for all that are not named.',
  );

const PREFIX_SENTENCE = 'must be 1 to 3 characters, none of them @ " \' \\ / # ; or a space';

const bedrockPrefix = z
  .string({ error: PREFIX_SENTENCE })
  .regex(/^[^@"'\\/#;\s\p{C}]{1,3}$/u, { error: PREFIX_SENTENCE })
  .meta({ title: 'prefix' });

const players = section({
  bedrockPrefixes: distinct(bedrockPrefix, 0, 10)
    .prefault(['.', '*'])
    .describe('What a cross-play bridge puts before the names of Bedrock players.'),
});

const webhook = section({
  host: host
    .prefault('::')
    .describe(
      'Address that signed webhooks come in on, where a site has one; `::` and `0.0.0.0` as for the listener.',
    )
    .meta(RESTART),
  port: listeningPort
    .prefault(8191)
    .describe('Port that they come in on; 0 takes any free one.')
    .meta(RESTART),
  hosts: distinct(host, 0, 20)
    .prefault([])
    .describe(
      'Host names that listings reach it by, such as "votes.example.com"; addresses and localhost need no entry.',
    ),
});

/** Equal ones are refused as well: with the random part that is added, the second could be the shorter one. */
const isIncreasing = (pausesMs: readonly number[]): boolean =>
  pausesMs.every((pauseMs, index) => index === 0 || pauseMs > (pausesMs[index - 1] ?? 0));

const listing = section({
  host: host.prefault('127.0.0.1').describe('Address of its pages and its API.').meta(RESTART),
  port: listeningPort
    .prefault(8190)
    .describe('Port of its pages and its API; 0 takes any free one.')
    .meta(RESTART),
  publicUrl: origin
    .optional()
    .describe('Where browsers reach it when a proxy is in front, such as "https://votes.example.com".')
    .meta(RESTART),
  database: file.prefault('data/listing.db').describe('Its SQLite file.').meta(RESTART),
  allowTargets: distinct(network, 0, 100)
    .prefault([])
    .describe('Private networks that webhooks and test votes may go to, such as "127.0.0.0/8".')
    .meta(RESTART),
  trustedProxies: distinct(network, 0, 100)
    .prefault([])
    .describe(
      'Networks of the reverse proxies in front of it. From them, X-Forwarded-For is believed: limits then apply to each client instead of the proxy.',
    )
    .meta(RESTART),
  retrySchedule: list(duration('0s', '7d'), 1, 5)
    .refine(isIncreasing, { error: 'must be pauses that grow: each longer than the one before' })
    .prefault(['10s', '1m', '10m', '1h', '6h'])
    .describe(
      'Up to five pauses before a webhook that failed is sent again, each longer than the one before.',
    )
    .meta(RESTART),
  channelHosts: distinct(host, 0, 20)
    .prefault(['discord.com', 'discordapp.com', 'canary.discord.com', 'ptb.discord.com'])
    .describe('Hosts whose webhook addresses post into a chat channel.')
    .meta(RESTART),
});

const log = section({
  level: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('The least that is logged.'),
  format: z
    .enum(['auto', 'text', 'json'])
    .default('auto')
    .describe('Sentences or JSON lines; `auto` writes sentences at a terminal and JSON where there is none.')
    .meta(RESTART),
});

export const configSchema = section({
  listener: listener.prefault({}).describe('Where votes come in.'),
  keys: folder
    .prefault('data/keys')
    .describe('Folder of the RSA pair for v1, public.key and private.key.')
    .meta(RESTART),
  sites,
  players: players.prefault({}).describe('Which names are players.'),
  gameServers,
  rewards,
  ledger: file
    .prefault('data/teller.db')
    .describe('SQLite file of every vote and every grant.')
    .meta(RESTART),
  webhook: webhook.prefault({}).describe('Where signed webhooks come in.'),
  listing: listing.prefault({}).describe('The reference listing service (`teller listing`).'),
  log: log.prefault({}).describe('What is logged.'),
});

/** A config whose every key is right and has its value; secrets are still references, paths still relative. */
export type ConfigEntries = z.output<typeof configSchema>;
