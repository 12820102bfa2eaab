/**
 * Everything that a receiver of signed webhooks refuses, in one closed table; the twin of votifier/refusals.ts. The
 * service takes a 4xx for final and sends after a 5xx again [WH-9]: so a 4xx says that this delivery, sent again as it
 * is, will be refused again, and whatever may be better later is a 503 or no answer at all.
 */
export const webhookRefusals = {
  'not-found': {
    status: 404,
    hears: 'no site has this path',
    log: 'asked the webhook port for a path that is no site’s',
  },
  'path-unknown': {
    status: 404,
    hears: 'no site has this path',
    log: 'posted a signed delivery to a path that is no site’s webhook.path: compare it with the address that the listing has',
  },
  'host-not-listed': {
    status: 421,
    hears: 'this host name is not one of ours; its operator lists them in webhook.hosts',
    log: 'reached the webhook port by a host name that webhook.hosts does not list: add it there if it is yours',
  },
  'not-post': {
    status: 405,
    hears: 'signed votes are posted here',
    log: 'sent a request to a webhook’s path that is no POST',
  },
  'too-large': {
    status: 413,
    hears: 'the body has more than 64 KiB',
    log: 'posted a body of more than 64 KiB; no delivery is that long',
  },
  'signature-missing': {
    status: 401,
    hears: 'X-Webhook-Signature is missing',
    log: 'posted a delivery without a signature: make a signing secret at the listing and put it into sites.<name>.webhook.secret',
  },
  'signature-wrong': {
    status: 401,
    hears: 'X-Webhook-Signature is not that of this body under the secret',
    log: 'posted a delivery that is not signed with our secret: compare sites.<name>.webhook.secret with the one that the listing showed',
  },
  'not-json': {
    status: 400,
    hears: 'the body is not JSON',
    log: 'posted a signed delivery that is not JSON',
  },
  'not-a-vote': {
    status: 400,
    hears: 'the body is no vote.created of version 1',
    log: 'posted a signed delivery that is no vote.created of version 1: has the listing a newer one?',
  },
  'other-listing': {
    status: 403,
    hears: 'data.listingId is not that of the listing configured here',
    log: 'posted a signed delivery for another listing: compare sites.<name>.webhook.listingId, and the address that each listing has',
  },
  'user-not-allowed': {
    status: 422,
    hears: 'the vote cannot be recorded: its userId is not one',
    log: 'posted a signed vote whose userId is not one',
  },
  'name-too-long': {
    status: 422,
    hears: 'the vote cannot be recorded: its playerName is too long',
    log: 'posted a signed vote whose player name is longer than 16 characters',
  },
  'name-not-allowed': {
    status: 422,
    hears: 'the vote cannot be recorded: its playerName is not one',
    log: 'posted a signed vote whose player name no player can have (letters, digits and _ only, or a known Bedrock prefix)',
  },
  'name-unknown-prefix': {
    status: 422,
    hears: 'the vote cannot be recorded: its playerName is not one',
    log: 'posted a signed vote whose player name begins with a prefix that players.bedrockPrefixes does not list: add it there if your cross-play bridge uses it',
  },
  unable: {
    status: 503,
    hears: 'it cannot be stored at the moment; send it again',
    log: 'posted a vote that could not be stored; the listing sends it again',
  },
  'not-http': {
    status: 400,
    hears: 'not HTTP',
    log: 'sent the webhook port something that is not HTTP; TLS belongs to a proxy in front',
  },
  'headers-too-large': {
    status: 431,
    hears: 'the headers have more than 16 KiB',
    log: 'sent the webhook port headers of more than 16 KiB',
  },
} as const satisfies Record<string, WebhookRefusal>;

/** Connections to it that are closed without an answer: the service sends again, which it would not after a 4xx. */
export const webhookClosings = {
  incomplete: 'hung up before its whole request had come to the webhook port',
  'too-slow': 'did not send the webhook port a whole request in time',
  'no-room': 'was closed by the webhook port for want of room: there were too many connections at once',
} as const;

export interface WebhookRefusal {
  readonly status: number;
  readonly hears: string;
  /** What the operator reads after the sender’s address. */
  readonly log: string;
}

export type WebhookRefusalCode = keyof typeof webhookRefusals;
export type WebhookClosingCode = keyof typeof webhookClosings;
