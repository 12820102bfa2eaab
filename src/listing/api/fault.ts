import { STATUS_CODES } from 'node:http';
import { HTTPException } from 'hono/http-exception';
import { type ApiErrorCode, apiErrors, type ErrorBody } from '../../../protocol/listing-api/errors.ts';
import { isoTime } from '../../core/instant.ts';
import type { ApiContext, ApiParts } from './api-env.ts';

/** A request that gets one of the nine codes. Gates and operations throw it; it is answered in one place. */
export class ApiFault extends Error {
  readonly code: ApiErrorCode;
  /** With RATE_LIMITED only. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ApiErrorCode, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'ApiFault';
    this.code = code;
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
  const body: ErrorBody = {
    statusCode: status,
    error: STATUS_CODES[status] ?? '',
    code,
    message,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    path: pathOf(c),
    timestamp: isoTime(clock.now()),
  };
  return c.json(body, status);
}

/** As it was asked for: the framework's own is decoded. */
const pathOf = (c: ApiContext): string => new URL(c.req.url).pathname;
