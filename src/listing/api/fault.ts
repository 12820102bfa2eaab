import { STATUS_CODES } from 'node:http';
import { HTTPException } from 'hono/http-exception';
import { type ApiErrorCode, apiErrors, type ErrorBody } from '../../../protocol/listing-api/errors.ts';
import type { Clock } from '../../core/clock.ts';
import { isoTime } from '../../core/instant.ts';
import type { ServerFault } from '../../web/server-faults.ts';
import type { ApiContext, ApiParts } from './api-env.ts';

/** A request that gets one of the nine codes. Gates and operations throw it; it is answered in one place. */
export class ApiFault extends Error {
  /** With RATE_LIMITED only. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ApiErrorCode,
    message: string,
    retryAfterSeconds?: number,
  ) {
    super(message);
    this.name = 'ApiFault';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** NS-31. */
export const listingRemoved = (): ApiFault =>
  new ApiFault('NOT_FOUND', 'The listing of this token was removed.');

/** Over a limit, in words and in whole seconds: after that many the same request is answered. */
export function rateLimited(limit: string, resetMs: number): ApiFault {
  const seconds = Math.ceil(resetMs / 1000);
  return new ApiFault('RATE_LIMITED', `${limit}; try again in ${seconds} s.`, seconds);
}

/** What a failure is to the client. What is not a fault of the request stays in the log. */
export function faultOf(error: unknown, c: ApiContext, { log }: ApiParts): ApiFault {
  if (error instanceof ApiFault) return error;
  // NS-32: what the framework refuses by itself (malformed JSON, another media type) has no code of its own.
  if (error instanceof HTTPException && error.status < 500) {
    return new ApiFault('VALIDATION_FAILED', `${error.message}.`);
  }
  const request = `${c.req.method} ${pathOf(c)}`;
  log.error(
    { code: 'listing-api-failed', request, err: error },
    `${request} failed inside the listing service`,
  );
  return new ApiFault('INTERNAL_ERROR', 'Something failed here, and has been logged; try again later.');
}

/** [API-2] The one body of every failure. */
export function answerFault(c: ApiContext, fault: ApiFault, { clock }: ApiParts): Response {
  const { code, message, retryAfterSeconds } = fault;
  const { status } = apiErrors[code];
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds));
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  const waits = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return c.json({ ...envelope(status, code, message, pathOf(c), clock), ...waits }, status);
}

/** The same body where the HTTP server refused what never became a request: of the nine codes, the one for malformed. */
export const serverFaultBody = ({ status, sentence, path }: ServerFault, clock: Clock): ErrorBody =>
  envelope(status, 'VALIDATION_FAILED', sentence, path, clock);

const envelope = (
  status: number,
  code: ApiErrorCode,
  message: string,
  path: string,
  clock: Clock,
): ErrorBody => ({
  statusCode: status,
  error: STATUS_CODES[status] ?? '',
  code,
  message,
  path,
  timestamp: isoTime(clock.now()),
});

/** As it was asked for: the framework's own is decoded. */
const pathOf = (c: ApiContext): string => new URL(c.req.url).pathname;
