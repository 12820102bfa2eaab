import * as z from 'zod';

/** [API-3] The closed set of codes, each with its HTTP status and meaning. Clients branch on the code. */
export const apiErrors = {
  VALIDATION_FAILED: {
    status: 400,
    means: 'A body field or parameter is malformed or outside its documented range.',
  },
  WEBHOOK_URL_INVALID: { status: 400, means: 'The webhook target is not a valid http(s) URL.' },
  WEBHOOK_URL_NOT_PUBLIC: {
    status: 400,
    means: 'The webhook target points at a private network or internal host.',
  },
  INVALID_TOKEN: { status: 401, means: 'No token, or an unrecognized token.' },
  MISSING_SCOPE: { status: 401, means: 'A valid token that lacks the scope the endpoint requires.' },
  FORBIDDEN: {
    status: 403,
    means: 'The token is valid but not for this: it belongs to another bot, or not to a bot.',
  },
  NOT_FOUND: {
    status: 404,
    means: 'The listing does not exist, or nothing answers at this method and path.',
  },
  RATE_LIMITED: { status: 429, means: 'Over a rate limit; wait as long as Retry-After says.' },
  INTERNAL_ERROR: { status: 500, means: 'A failure of the service; safe to retry with backoff.' },
} as const satisfies Record<string, { status: number; means: string }>;

export type ApiErrorCode = keyof typeof apiErrors;

const CODES = Object.keys(apiErrors) as [ApiErrorCode, ...ApiErrorCode[]];

/** [API-2] The body of every error response. */
export const ErrorBody = z
  .object({
    statusCode: z.int().meta({ description: 'The HTTP status.' }),
    error: z.string().meta({ description: 'The name of the HTTP status.' }),
    code: z.enum(CODES).meta({ description: 'Stable; clients branch on it.' }),
    message: z.string().meta({ description: 'For people; may be reworded at any time.' }),
    retryAfterSeconds: z.int().min(1).optional().meta({ description: 'Present on 429 only.' }),
    path: z.string().meta({ description: 'The path that was asked for.' }),
    timestamp: z.iso.datetime().meta({ description: 'When it happened, UTC.' }),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;
