import type { ListedRefusal } from '../intake/listed-vote.ts';

/** What a sentence may name. All of it has been made printable. */
export interface Facts {
  /** The entry in `sites` that the path belongs to; empty where it belongs to none. */
  readonly site: string;
  /** A path, or a listing's ID. */
  readonly detail: string;
}

export interface Ending {
  /** What the operator is told, and how loudly; null where others tell it already. */
  readonly log: { readonly level: 'debug' | 'info' | 'warn'; sentence(facts: Facts): string } | null;
}

const keyOf = ({ site }: Facts): string => `sites.${site}.webhook`;

export interface Answer extends Ending {
  readonly status: number;
  readonly hears: string;
}

/**
 * How a request is answered, in one closed list. The listing service takes a 4xx for final and sends after a 5xx again: so
 * a 4xx says that this event can never be recorded, and whatever may be better later is a 503 or no answer at all.
 */
export const answers = {
  recorded: { status: 200, hears: 'recorded', log: null },
  'same-vote': { status: 200, hears: 'recorded before; counted once', log: null },
  test: {
    status: 200,
    hears: 'a test, rightly signed: nothing is recorded and nothing is paid',
    log: {
      level: 'info',
      sentence: ({ site }) => `${site}: a test delivery came, rightly signed; nothing is recorded for it`,
    },
  },
  'path-unknown': {
    status: 404,
    hears: 'no site has this path',
    log: {
      level: 'info',
      sentence: ({ detail }) =>
        `a request came for ${detail}, which is no site's webhook.path: compare it with the address that the listing has`,
    },
  },
  'not-post': {
    status: 405,
    hears: 'signed votes are posted here',
    log: { level: 'debug', sentence: ({ site }) => `${site}: a request came that was no POST` },
  },
  'too-large': {
    status: 413,
    hears: 'the body has more than 64 KiB',
    log: {
      level: 'info',
      sentence: ({ site }) => `${site}: a body of more than 64 KiB came; no delivery is that long`,
    },
  },
  'signature-missing': {
    status: 401,
    hears: 'X-Webhook-Signature is missing',
    log: {
      level: 'warn',
      sentence: (facts) =>
        `${facts.site}: a delivery came without a signature and was refused: make a signing secret at the listing and put it into ${keyOf(facts)}.secret`,
    },
  },
  'signature-wrong': {
    status: 401,
    hears: 'X-Webhook-Signature is not that of this body under the secret',
    log: {
      level: 'warn',
      sentence: (facts) =>
        `${facts.site}: a delivery was not signed with our secret and was refused: compare ${keyOf(facts)}.secret with the one that the listing showed`,
    },
  },
  'not-json': {
    status: 400,
    hears: 'the body is not JSON',
    log: { level: 'warn', sentence: ({ site }) => `${site}: a signed delivery came that is not JSON` },
  },
  'not-a-vote': {
    status: 400,
    hears: 'the body is no vote.created of version 1',
    log: {
      level: 'warn',
      sentence: ({ site }) =>
        `${site}: a signed delivery came that is no vote.created of version 1; has the listing a newer one?`,
    },
  },
  'other-listing': {
    status: 403,
    hears: 'data.listingId is not that of the listing configured here',
    log: {
      level: 'warn',
      sentence: (facts) =>
        `${facts.site}: a signed delivery is for the listing ${facts.detail} and was refused: compare ${keyOf(facts)}.listingId with it, and the webhook's address at that listing`,
    },
  },
  'site-unknown': notRecordable('no site is configured for it'),
  'user-not-allowed': notRecordable('its userId is not one'),
  'name-too-long': notRecordable('its playerName is too long'),
  'name-not-allowed': notRecordable('its playerName is not one'),
  unable: { status: 503, hears: 'it cannot be stored at the moment; send it again', log: null },
  'not-http': {
    status: 400,
    hears: 'not HTTP',
    log: {
      level: 'debug',
      sentence: () => 'something came that is not HTTP; TLS belongs to a proxy in front',
    },
  },
  'headers-too-large': {
    status: 431,
    hears: 'the headers have more than 16 KiB',
    log: { level: 'debug', sentence: () => 'headers of more than 16 KiB came' },
  },
} as const satisfies Record<string, Answer> & Record<ListedRefusal, Answer>;

/** Connections that are closed without an answer: the service sends again, which it would not after a 4xx. */
export const closings = {
  'too-slow': {
    log: { level: 'debug', sentence: () => 'a connection was closed before it had sent a whole request' },
  },
  crowded: {
    log: { level: 'warn', sentence: () => 'a connection was closed to make room: there were too many' },
  },
} as const satisfies Record<string, Ending>;

export type AnswerCode = keyof typeof answers;
export type ClosingCode = keyof typeof closings;
export type EndingCode = AnswerCode | ClosingCode;

export const endingOf = (code: EndingCode): Ending => ({ ...answers, ...closings })[code];

/** Signed, and a vote that no later attempt can record. */
function notRecordable(why: string) {
  return {
    status: 422,
    hears: `the vote cannot be recorded: ${why}`,
    log: {
      level: 'warn',
      sentence: ({ site }: Facts) => `${site}: a signed vote was refused: ${why}`,
    },
  } as const;
}
