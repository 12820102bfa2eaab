/**
 * Everything that a receiver of signed webhooks refuses, in one closed table. The service never sends again after a 4xx
 * and does so after a 5xx [WH-9]. So a 4xx means that the same delivery would be refused again; where it may succeed
 * later, the answer is a 503 or none. `isNoise` marks what reaches any open port: the operator has nothing to do.
 * `isFixedByAVote` marks a cause that is gone once a later vote of the same service counts.
 */
export const webhookRefusals = {
  'not-found': {
    status: 404,
    hears: 'no site has this path',
    log: 'asked the webhook port for a path that belongs to no site',
    isNoise: true,
  },
  'path-unknown': {
    status: 404,
    hears: 'no site has this path',
    log: 'posted a signed delivery to a path that is not a site’s webhook.path: compare it with the URL at the listing',
  },
  'host-not-listed': {
    status: 421,
    hears: 'this host name is not known here; the operator lists host names in webhook.hosts',
    log: 'reached the webhook port by a host name that webhook.hosts does not list: add it there if it is yours',
  },
  'not-post': {
    status: 405,
    hears: 'signed votes have to be posted',
    log: 'sent a request to a webhook’s path that is not a POST',
    isNoise: true,
  },
  'too-large': {
    status: 413,
    hears: 'the body is larger than 64 KiB',
    log: 'posted a body larger than 64 KiB, which no delivery is',
  },
  'signature-missing': {
    status: 401,
    hears: 'X-Webhook-Signature is missing',
    log: 'posted a delivery without a signature: create a signing secret at the listing and put it into sites.<name>.webhook.secret',
    isFixedByAVote: true,
  },
  'signature-wrong': {
    status: 401,
    hears: 'X-Webhook-Signature does not match this body',
    log: 'posted a delivery that is not signed with your secret: compare sites.<name>.webhook.secret with the one that the listing showed',
    isFixedByAVote: true,
  },
  'not-json': {
    status: 400,
    hears: 'the body is not JSON',
    log: 'posted a signed delivery that is not JSON',
  },
  'not-a-vote': {
    status: 400,
    hears: 'the body is not a vote.created event of version 1',
    log: 'posted a signed delivery that is not a vote.created event of version 1: the listing may send a newer version',
  },
  'other-listing': {
    status: 403,
    hears: 'data.listingId is not that of the listing configured here',
    log: 'posted a signed delivery for another listing: compare sites.<name>.webhook.listingId, and the URL that each listing posts to',
    isFixedByAVote: true,
  },
  'user-not-allowed': {
    status: 422,
    hears: 'the vote cannot be recorded: its userId is not valid',
    log: 'posted a signed vote whose userId is not valid',
  },
  'name-too-long': {
    status: 422,
    hears: 'the vote cannot be recorded: its playerName is too long',
    log: 'posted a signed vote whose player name is longer than 16 characters',
  },
  'name-not-allowed': {
    status: 422,
    hears: 'the vote cannot be recorded: its playerName is not valid',
    log: 'posted a signed vote with an impossible player name (letters, digits and _ only, or a known Bedrock prefix)',
  },
  'name-unknown-prefix': {
    status: 422,
    hears: 'the vote cannot be recorded: its playerName is not valid',
    log: 'posted a signed vote whose player name begins with a prefix that players.bedrockPrefixes does not list: add it there if your cross-play bridge uses it',
  },
  unable: {
    status: 503,
    hears: 'the vote cannot be stored at the moment; send it again',
    log: 'posted a vote that could not be stored; the listing sends it again',
    isFixedByAVote: true,
  },
  'not-http': {
    status: 400,
    hears: 'not HTTP',
    log: 'sent the webhook port something that is not HTTP; if it is TLS, put a proxy in front',
    isNoise: true,
  },
  'headers-too-large': {
    status: 431,
    hears: 'the headers have more than 16 KiB',
    log: 'sent the webhook port headers of more than 16 KiB',
    isNoise: true,
  },
} as const satisfies Record<string, WebhookRefusal>;

/** Why a connection is closed without an answer: the service then sends again, which it would not after a 4xx. */
export const webhookClosings = {
  incomplete: {
    log: 'closed the connection before its whole request had arrived at the webhook port',
    isNoise: true,
  },
  'too-slow': { log: 'did not send the webhook port a whole request in time', isNoise: true },
  'no-room': { log: 'was disconnected from the webhook port to make room: too many connections were open' },
} as const satisfies Record<string, Pick<WebhookRefusal, 'log' | 'isNoise'>>;

export interface WebhookRefusal {
  readonly status: number;
  readonly hears: string;
  /** What the operator reads after the sender’s address. */
  readonly log: string;
  readonly isNoise?: true;
  readonly isFixedByAVote?: true;
}

export type WebhookRefusalCode = keyof typeof webhookRefusals;
export type WebhookClosingCode = keyof typeof webhookClosings;
