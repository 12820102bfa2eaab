import * as z from 'zod';
import {
  cooldown,
  distinct,
  duration,
  errorSentence,
  httpUrl,
  instant,
  line,
  network,
  secretReference,
  section,
  serviceName,
  webUrl,
} from '../core/config-values.ts';

const LABEL_SENTENCE = 'must be a string of 1 to 64 bytes on one line, without { } " and \\';

// Without these characters, a label cannot contain a placeholder or end a string inside a JSON command.
const label = z
  .string({ error: LABEL_SENTENCE })
  .regex(/^[^{}"\\\p{C}]+$/u, { error: LABEL_SENTENCE })
  .refine((text) => Buffer.byteLength(text) <= 64, { error: LABEL_SENTENCE })
  .meta({ title: 'text' });

const noVoteUrl = errorSentence(
  'must be the http or https address of a page, of at most 500 characters, without a user or password, spaces, { } " and \\',
);

/** Like a label, it cannot end a string inside a JSON command. */
export const voteUrl = webUrl(500, /^[^{}"\\\s\p{C}]+$/u, noVoteUrl);

const api = section({
  baseUrl: httpUrl.describe('Base URL of the listing service’s API; ends in /api/v1.'),
  token: secretReference.describe(
    'API token of the listing with the scope votes:read: "file:PATH", "env:NAME" or the token itself.',
  ),
  payFrom: instant
    .optional()
    .describe(
      'Votes cast earlier are counted but never rewarded. Default: the time Teller first saw the site: its first vote, or the first start with this entry, whichever came first.',
    ),
  maxAge: duration('1h', '90d')
    .prefault('48h')
    .describe('Votes that arrive over the API or the webhook later than this are counted but not rewarded.'),
  interval: duration('10s', '1d').prefault('2m').describe('How often to ask the API for missed votes.'),
});

const SITE_PATH = 'must be a path of 1 to 200 characters out of A-Z a-z 0-9 / . _ - that begins with a slash';

const siteWebhook = section({
  path: z
    .string({ error: SITE_PATH })
    .regex(/^\/[A-Za-z0-9/._-]{0,199}$/, { error: SITE_PATH })
    .meta({ title: 'path', example: '/my-list' })
    .describe('Path that the listing service posts to. It identifies the site, so each site needs its own.'),
  secret: secretReference.describe('Signing secret: "file:PATH", "env:NAME" or the secret itself.'),
  listingId: line(128).describe('ID of the listing; deliveries for other listings are refused.'),
});

const site = section({
  token: secretReference
    .optional()
    .describe(
      'v2 token of this listing: "file:PATH", "env:NAME" or the token itself. Default: the token of `default`.',
    ),
  cooldown: cooldown
    .optional()
    .describe(
      'How often a player is rewarded: a minimum time between two rewarded votes, or "day": once a day, which begins at midnight, or at a time such as "day 04:00" or "day 04:00 America/New_York". Default: the value of `default`, or 24h.',
    ),
  counts: z
    .enum(['rewarded', 'all'])
    .optional()
    .describe(
      'Votes that are counted in totals: those that were rewarded, or also those within the cooldown. Default: the value of `default`, or rewarded.',
    ),
  protocols: distinct(z.enum(['v1', 'v2']), 1, 2)
    .optional()
    .describe(
      'Votifier versions to accept from this site. Default: the value of `default`; if it has none, `listener.protocols`.',
    ),
  from: distinct(network, 1, 100)
    .optional()
    .describe(
      'Networks from which the site’s votes to the listener may come; anyone with the public key can forge v1 votes. Default: the value of `default`, or any network.',
    ),
  game: z
    .enum(['minecraft', 'fivem', 'roblox', 'hytale', 'bot'])
    .default('minecraft')
    .describe('What is listed. Votes for minecraft name a player; votes for all others name a user ID.'),
  api: api
    .optional()
    .describe('The listing’s API, which Teller asks for votes that it missed while it was down.'),
  webhook: siteWebhook.optional().describe('The listing’s signed webhook, as another channel for votes.'),
  url: voteUrl
    .optional()
    .describe(
      'The page where players vote, such as "https://my-list.com/server/1077/vote"; shown by {voteLinks}.',
    ),
  label: label.optional().describe('Value of {site}. Default: the value of `default`, or the service name.'),
});

export const sites = z
  .record(serviceName, site)
  .prefault({ default: { cooldown: '24h' } })
  .describe(
    'Listings by the service name that they send ("" if they send none). `default` applies to all listings that have no entry, and an entry takes from it what it leaves out: `token`, `cooldown`, `counts`, `protocols`, `from` and `label`. When an entry applies, votes of the last 7 days that waited for it (`unlisted`) are paid, whether `teller sites add` wrote it or you did.',
  );
