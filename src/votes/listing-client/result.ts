import type { ApiErrorCode } from '../../../protocol/listing-api/errors.ts';

/** The facts in a sentence. */
interface Facts {
  /** The API root in display form, without secrets. */
  readonly where: string;
  /** What was received instead, or the system's name of the fault; may be empty. */
  readonly detail: string;
}

interface Fault {
  /** `no`: the request has not left this machine. `unknown`: it was sent, so it may have been carried out. */
  readonly reached: 'no' | 'unknown';
  /** Whether the same request may succeed a little later without a fix. */
  readonly mayPass: boolean;
  sentence(facts: Facts): string;
}

/** Every reason for getting no answer of the API, in the order in which they can happen. */
export const faults = {
  'address-unusable': {
    reached: 'no',
    mayPass: false,
    sentence: () =>
      'The address of the listing’s API cannot be used: write http:// or https://, a host, optionally a port that browsers allow, and a path such as /api/v1, without a password, ? or #.',
  },
  'token-unusable': {
    reached: 'no',
    mayPass: false,
    sentence: () =>
      'The API token cannot be sent: it is empty, or contains a space, a line break or another character that no token has.',
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
      `Nothing listens at ${where} (connection refused): is the listing service running, and is this its port?`,
  },
  'no-connection': {
    reached: 'no',
    mayPass: true,
    sentence: ({ where, detail }) =>
      `Could not connect to ${where} (${detail}): check the address and this machine’s network.`,
  },
  'tls-failed': {
    reached: 'no',
    mayPass: false,
    sentence: ({ where, detail }) =>
      `The TLS handshake with ${where} failed (${detail}), so the token was not sent: check https, the host name and its certificate.`,
  },
  'connection-lost': {
    reached: 'unknown',
    mayPass: true,
    sentence: ({ where, detail }) =>
      `The connection to ${where} was lost before the answer was complete (${detail}).`,
  },
  deadline: {
    reached: 'unknown',
    mayPass: true,
    sentence: ({ where, detail }) => `${where} did not answer completely within ${detail}.`,
  },
  redirected: {
    reached: 'unknown',
    mayPass: false,
    sentence: ({ where, detail }) =>
      `${where} redirects to ${detail}. Teller does not follow it, because the token is only for this address: check the address, and whether it should be https.`,
  },
  'answer-too-large': {
    reached: 'unknown',
    mayPass: false,
    sentence: ({ where, detail }) => `The answer of ${where} has more than ${detail}, so it was ignored.`,
  },
  'not-the-api': {
    reached: 'unknown',
    mayPass: true,
    sentence: ({ where, detail }) =>
      `${where} did not answer like the listing’s API (${detail}): a proxy in front of it may have answered, or another service.`,
  },
} as const satisfies Record<string, Fault>;

export type FaultCode = keyof typeof faults;

/** What the person who set up the client can do about a refusal [API-3]. */
export const advice = {
  VALIDATION_FAILED: 'the request is not valid',
  WEBHOOK_URL_INVALID: 'the webhook’s URL is not an http:// or https:// address',
  WEBHOOK_URL_NOT_PUBLIC:
    'the webhook’s URL points to a private network, and the listing delivers only to public addresses',
  INVALID_TOKEN: 'it does not know the API token; copy the current one from the listing’s dashboard',
  MISSING_SCOPE: 'the API token may not do this; create one with the scope in the listing’s dashboard',
  FORBIDDEN: 'the API token belongs to another listing, or to another kind of listing',
  NOT_FOUND: 'the listing was removed, or the address is not the root of its API',
  RATE_LIMITED: 'there were too many requests in a short time',
  INTERNAL_ERROR: 'it had an internal error, and whether it carried out the request is unknown',
} as const satisfies Record<ApiErrorCode, string>;

export interface Refused {
  readonly kind: 'refused';
  readonly code: ApiErrorCode;
  /** The HTTP status. */
  readonly status: number;
  /** The service’s own message, for people; code must not depend on it [API-3]. */
  readonly message: string;
  /** For a person: what happened and what to check. */
  readonly sentence: string;
  /** How long the service asked to wait. Always present with RATE_LIMITED, otherwise if it said so. */
  readonly retryAfterSeconds: number | null;
}

export interface Unreachable {
  readonly kind: 'unreachable';
  readonly code: FaultCode;
  readonly reached: Fault['reached'];
  readonly sentence: string;
  readonly detail: string;
  /** Present if the answer asked to wait. */
  readonly retryAfterSeconds: number | null;
}

/** A success whose body does not match the API's specification. Whether the request was carried out is unknown. */
export interface Unfit {
  readonly kind: 'unfit';
  readonly sentence: string;
  /** The first field that does not fit, and why. */
  readonly detail: string;
}

/** The caller's signal cancelled the call. If a request had been sent, whether it was carried out is unknown. */
export interface Aborted {
  readonly kind: 'aborted';
  readonly sentence: string;
}

export type Failure = Refused | Unreachable | Unfit | Aborted;
export interface Success<Value> {
  readonly kind: 'ok';
  readonly value: Value;
  /** The time of the service’s clock when it answered, in milliseconds but only to the second; null: not stated. */
  readonly serviceTime: number | null;
}

export type CallResult<Value> = Success<Value> | Failure;
