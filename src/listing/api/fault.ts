import { STATUS_CODES } from 'node:http';
import { HTTPException } from 'hono/http-exception';
import { type ApiErrorCode, apiErrors, type ErrorBody } from '../../../protocol/listing-api.ts';
import type { Clock } from '../../core/clock.ts';
import { isoTime } from '../../core/instant.ts';
import type { ServerFault } from '../../web/server-faults.ts';
import { isCutOff } from '../../web/site.ts';
import type { ApiContext, ApiParts } from './api-env.ts';

/** A failure with one of the nine codes. Gates and operations throw it; `answerFault` answers it. */
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
  new ApiFault('NOT_FOUND', 'The listing that this token belongs to was removed.');

/** @param limit the start of the sentence, which names the limit. After the stated seconds, the same request succeeds. */
export function rateLimited(limit: string, resetMs: number): ApiFault {
  const seconds = Math.ceil(resetMs / 1000);
  return new ApiFault('RATE_LIMITED', `${limit}. Try again in ${seconds} s.`, seconds);
}

/** What the client is told. The details of an error inside the service go to the log only. */
export function faultOf(error: unknown, c: ApiContext, { log }: ApiParts): ApiFault {
  if (error instanceof ApiFault) return error;
  // NS-32: refusals of the framework have no code of their own; it refuses only malformed JSON.
  if (error instanceof HTTPException && error.status < 500) {
    return new ApiFault(
      'VALIDATION_FAILED',
      `${error.message}. Check its quotes, commas and brackets; it must be UTF-8.`,
    );
  }
  // Nobody reads the answer, and anyone can do this at will.
  if (isCutOff(c)) return new ApiFault('VALIDATION_FAILED', 'The request ended before it had arrived.');
  const request = `${c.req.method} ${pathOf(c)}`;
  log.error(
    { code: 'listing-api-failed', request, err: error },
    `${request} failed inside the listing service`,
  );
  return new ApiFault(
    'INTERNAL_ERROR',
    'The listing service had an internal error, which was logged. Try again later.',
  );
}

/** [API-2] Every failure has this body. */
export function answerFault(c: ApiContext, fault: ApiFault, { clock }: ApiParts): Response {
  const { code, message, retryAfterSeconds } = fault;
  const { status } = apiErrors[code];
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds));
  if (status === 401) c.header('WWW-Authenticate', 'Bearer');
  const waits = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return c.json({ ...envelope(status, code, message, pathOf(c), clock), ...waits }, status);
}

/** The same body for bytes that the HTTP server could not read as a request: of the nine codes, the one for malformed requests. */
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

/** The path as it was sent; the path that the framework gives is decoded. */
const pathOf = (c: ApiContext): string => new URL(c.req.url).pathname;
