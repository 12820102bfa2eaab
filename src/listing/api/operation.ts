import { createRoute, type RouteConfig, type z } from '@hono/zod-openapi';
import { type ApiErrorCode, apiErrors, ErrorBody } from '../../../protocol/listing-api.ts';
import type { ApiParts } from './api-env.ts';
import { type Access, gates, jsonOnly } from './gates.ts';

const JSON_TYPE = 'application/json';

type RequestParts = NonNullable<RouteConfig['request']>;

/** What differs between operations; the rest of the route is derived from it. */
interface Operation<Path extends string, Request extends RequestParts, Answer extends z.ZodType> {
  readonly method: 'get' | 'post';
  readonly path: Path;
  readonly operationId: string;
  readonly summary: string;
  readonly access: Access;
  readonly request: Request;
  readonly answer: Answer;
  /** The failures of this operation, besides those of every operation. */
  readonly failures?: readonly ApiErrorCode[];
}

/** The failures of every operation. */
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
  described: Operation<Path, Request, Answer>,
) =>
  createRoute({
    method: described.method,
    path: described.path,
    operationId: described.operationId,
    summary: described.summary,
    description: `Scope: ${described.access.scopes.join(' or ')}.`,
    security: described.access.scopes.map((scope) => ({ token: [scope] })),
    request: described.request,
    middleware: [
      ...gates(parts, described.access),
      ...(described.request.body === undefined ? [] : [jsonOnly]),
    ],
    responses: {
      200: { description: 'Done.', content: { [JSON_TYPE]: { schema: described.answer } } },
      ...failureResponses([...COMMON, ...(described.failures ?? [])]),
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
  const byStatus = statuses.map((status) => {
    const ofStatus = codes.filter((code) => apiErrors[code].status === status);
    return [status, failureResponse(status, ofStatus)] as const;
  });
  return Object.fromEntries(byStatus);
}

const failureResponse = (status: number, codes: readonly ApiErrorCode[]) => ({
  description: codes.map((code) => `\`${code}\`: ${apiErrors[code].means}`).join('\n\n'),
  /** The same in a machine-readable form, so that programs need not parse the description. */
  'x-codes': codes,
  content: { [JSON_TYPE]: { schema: ErrorBody } },
  ...(status === 429 ? { headers: RETRY_AFTER } : {}),
});

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' as const, minimum: 1 } },
};
