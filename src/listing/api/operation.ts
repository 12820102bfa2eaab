import { createRoute, type RouteConfig, type z } from '@hono/zod-openapi';
import { type ApiErrorCode, apiErrors, ErrorBody } from '../../../protocol/listing-api/errors.ts';
import type { ApiParts } from './api-env.ts';
import { type Access, gates } from './gates.ts';

const JSON_TYPE = 'application/json';

type RequestParts = NonNullable<RouteConfig['request']>;

/** One operation as its file states it: the rest of the route follows from this. */
interface Operation<Path extends string, Request extends RequestParts, Answer extends z.ZodType> {
  readonly method: 'get' | 'post';
  readonly path: Path;
  readonly operationId: string;
  readonly summary: string;
  readonly access: Access;
  readonly request: Request;
  readonly answer: Answer;
  /** Besides those that every operation can fail with. */
  readonly failures?: readonly ApiErrorCode[];
}

/** What every operation can fail with. */
const COMMON: readonly ApiErrorCode[] = [
  'VALIDATION_FAILED',
  'INVALID_TOKEN',
  'MISSING_SCOPE',
  'NOT_FOUND',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
];

/** The route of an operation: its gates, and its part of the reference. */
export const operation = <Path extends string, Request extends RequestParts, Answer extends z.ZodType>(
  parts: ApiParts,
  stated: Operation<Path, Request, Answer>,
) =>
  createRoute({
    method: stated.method,
    path: stated.path,
    operationId: stated.operationId,
    summary: stated.summary,
    description: `Scope: ${stated.access.scopes.join(' or ')}.`,
    security: stated.access.scopes.map((scope) => ({ token: [scope] })),
    request: stated.request,
    middleware: gates(parts, stated.access),
    responses: {
      200: { description: 'Done.', content: { [JSON_TYPE]: { schema: stated.answer } } },
      ...failureResponses([...COMMON, ...(stated.failures ?? [])]),
    },
  });

/** A required JSON body. */
export const jsonBody = <Body extends z.ZodType>(schema: Body) => ({
  required: true,
  content: { 'application/json': { schema } },
});

/** The failures by HTTP status, as the reference lists them: each status with its codes. */
function failureResponses(codes: readonly ApiErrorCode[]): RouteConfig['responses'] {
  const statuses = [...new Set(codes.map((code) => apiErrors[code].status))];
  const described = statuses.map((status) => {
    const ofStatus = codes.filter((code) => apiErrors[code].status === status);
    return [status, failureResponse(status, ofStatus)] as const;
  });
  return Object.fromEntries(described);
}

const failureResponse = (status: number, codes: readonly ApiErrorCode[]) => ({
  description: codes.map((code) => `\`${code}\`: ${apiErrors[code].means}`).join('\n\n'),
  /** The same for programs, so that none has to read the description. */
  'x-codes': codes,
  content: { [JSON_TYPE]: { schema: ErrorBody } },
  ...(status === 429 ? { headers: RETRY_AFTER } : {}),
});

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' as const, minimum: 1 } },
};
