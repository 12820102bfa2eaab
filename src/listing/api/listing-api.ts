import { OpenAPIHono } from '@hono/zod-openapi';
import { printable } from '../../core/printable.ts';
import { addressLimit } from './address-limit.ts';
import type { Api, ApiEnv, ApiParts, Gate } from './api-env.ts';
import { botStats } from './bot-stats.ts';
import { ApiFault, answerFault, faultOf } from './fault.ts';
import { reference } from './reference.ts';
import { voteChecks } from './vote-checks.ts';
import { voteReads } from './vote-reads.ts';
import { webhooks } from './webhooks.ts';

/** Every path hangs under it. */
export const API_ROOT = '/api/v1';

/**
 * The developer API of the listing service: seven operations and their reference. Whatever is asked, the answer is
 * JSON, and every failure has the one body of [API-2]. It is a site of its own:
 * who serves it among pages hands over everything below API_ROOT, bindings included, so that 404s are its own, too.
 */
export function listingApi(parts: ApiParts): Api {
  const api = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid }).basePath(API_ROOT);
  api.use('*', neverKept);
  api.use('*', dated(parts));
  api.use('*', addressLimit(parts));
  for (const addTo of [botStats, voteChecks, voteReads, webhooks, reference]) addTo(api, parts);
  api.notFound((c) => answerFault(c, nothingHere(), parts));
  api.onError((error, c) => answerFault(c, faultOf(error, c, parts), parts));
  return api;
}

/** Votes and limits change at any moment, and no browser may take an answer for anything but JSON. */
const neverKept: Gate = async (c, next) => {
  await next();
  c.res.headers.set('Cache-Control', 'no-store');
  c.res.headers.set('X-Content-Type-Options', 'nosniff');
};

/** By the service’s own clock, which practice may have moved: whoever compares clocks has to see the one that dates votes. */
const dated =
  ({ clock }: ApiParts): Gate =>
  async (c, next) => {
    c.header('Date', new Date(clock.now()).toUTCString());
    await next();
  };

/** NS-31: of the nine codes the one for a path or a method that there is not. */
const nothingHere = (): ApiFault =>
  new ApiFault(
    'NOT_FOUND',
    `Nothing answers at this method and path; ${API_ROOT}/openapi.json lists what does.`,
  );

interface Judged {
  readonly success: boolean;
  readonly error?: {
    readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
  };
}

const ISSUES_TOLD = 3;

/** What the schemas do not take, told by field. */
function refuseInvalid({ success, error }: Judged): void {
  if (success) return;
  const told = (error?.issues ?? []).slice(0, ISSUES_TOLD).map(({ path, message }) => {
    const field = path.map(String).join('.');
    return printable(field === '' ? message : `${field}: ${message}`);
  });
  throw new ApiFault('VALIDATION_FAILED', `${told.join('; ')}.`);
}
