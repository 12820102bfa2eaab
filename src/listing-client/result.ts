import type { ApiErrorCode } from '../../protocol/listing-api/errors.ts';

/** Facts that a sentence is made of. */
interface Facts {
  /** The API root as a person writes it, without what may be secret in it. */
  readonly where: string;
  /** What came instead, or what the system calls the fault; may be empty. */
  readonly detail: string;
}

interface Fault {
  /** `no`: nothing of the request has left this machine. `unknown`: it was sent, so it may have been carried out. */
  readonly reached: 'no' | 'unknown';
  /** Whether the same request may be answered a little later, with nothing mended. */
  readonly mayPass: boolean;
  sentence(facts: Facts): string;
}

/** Every way in which no answer of the API comes about, in the order in which they can happen. */
export const faults = {
  'address-unusable': {
    reached: 'no',
    mayPass: false,
    sentence: () =>
      'The address of the listing’s API cannot be used: it is http:// or https://, a host, a port that browsers may use, and a path such as /api/v1, and holds no password, ? or #.',
  },
  'token-unusable': {
    reached: 'no',
    mayPass: false,
    sentence: () =>
      'The API token cannot be sent: it is empty or holds a blank, a line break or another character that no token has.',
  },
  'host-unresolvable': {
    reached: 'no',
    mayPass: true,
    sentence: ({ where, detail }) =>
      `The host name of ${where} cannot be resolved (${detail}): check its spelling and this machine’s network.`,
  },
  'port-refused': {
    reached: 'no',
    mayPass: true,
    sentence: ({ where }) =>
      `Nothing listens at ${where}, the connection was refused: is the listing service up, and is this its port?`,
  },
  'no-connection': {
    reached: 'no',
    mayPass: true,
    sentence: ({ where, detail }) =>
      `No connection to ${where} came about (${detail}): check the address and this machine’s network.`,
  },
  'tls-failed': {
    reached: 'no',
    mayPass: false,
    sentence: ({ where, detail }) =>
      `${where} could not prove who it is (${detail}), so the token was not sent: check https, the host name and its certificate.`,
  },
  'connection-lost': {
    reached: 'unknown',
    mayPass: true,
    sentence: ({ where, detail }) =>
      `The connection to ${where} broke before the answer was whole (${detail}).`,
  },
  deadline: {
    reached: 'unknown',
    mayPass: true,
    sentence: ({ where, detail }) => `${where} gave no whole answer within ${detail}.`,
  },
  redirected: {
    reached: 'unknown',
    mayPass: false,
    sentence: ({ where, detail }) =>
      `${where} redirects to ${detail}, which is not followed, because the token is for this address alone: check the address, and whether it is https.`,
  },
  'answer-too-large': {
    reached: 'unknown',
    mayPass: false,
    sentence: ({ where, detail }) => `The answer of ${where} has more than ${detail}, so it was not read.`,
  },
  'not-the-api': {
    reached: 'unknown',
    mayPass: true,
    sentence: ({ where, detail }) =>
      `What answered at ${where} does not speak like the listing’s API (${detail}): a proxy before it, or another service.`,
  },
} as const satisfies Record<string, Fault>;

export type FaultCode = keyof typeof faults;

/** What the person who set up the client can do about a refusal [API-3]. */
export const advice = {
  VALIDATION_FAILED: 'the request is not one that it takes',
  WEBHOOK_URL_INVALID: 'the webhook’s URL is no http:// or https:// address',
  WEBHOOK_URL_NOT_PUBLIC: 'the webhook’s URL points at a private network, where the listing delivers nothing',
  INVALID_TOKEN: 'it does not know the API token; copy the present one from the listing’s dashboard',
  MISSING_SCOPE: 'the API token may not do this; create one with the scope in the listing’s dashboard',
  FORBIDDEN: 'the API token is of another listing, or of another kind of listing',
  NOT_FOUND: 'the listing was removed, or the address is not the root of its API',
  RATE_LIMITED: 'too much was asked in too short a time',
  INTERNAL_ERROR: 'it failed itself, and whether it did what was asked is unknown',
} as const satisfies Record<ApiErrorCode, string>;

export interface Refused {
  readonly kind: 'refused';
  readonly code: ApiErrorCode;
  /** The HTTP status. */
  readonly status: number;
  /** The service’s own words, for people; never to be branched on [API-3]. */
  readonly message: string;
  /** For a person: what happened and what to look at. */
  readonly sentence: string;
  /** How long the service asked for patience. Always there with RATE_LIMITED, else where it said so. */
  readonly retryAfterSeconds: number | null;
}

export interface Unreachable {
  readonly kind: 'unreachable';
  readonly code: FaultCode;
  readonly reached: Fault['reached'];
  readonly sentence: string;
  readonly detail: string;
  /** Where what answered asked for patience. */
  readonly retryAfterSeconds: number | null;
}

/** A success whose body is not what the API states. Whether it was carried out is unknown; the body is not passed on. */
export interface Unfit {
  readonly kind: 'unfit';
  readonly sentence: string;
  /** The first field that does not fit, and why. */
  readonly detail: string;
}

/** The caller's signal ended the call. Where a request was under way, whether it was carried out is unknown. */
export interface Aborted {
  readonly kind: 'aborted';
  readonly sentence: string;
}

export type Failure = Refused | Unreachable | Unfit | Aborted;
export interface Success<Value> {
  readonly kind: 'ok';
  readonly value: Value;
  /** What the service’s clock showed when it answered, in milliseconds but no finer than seconds; null: it did not say. */
  readonly serviceTime: number | null;
}

export type CallResult<Value> = Success<Value> | Failure;
