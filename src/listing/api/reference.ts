import { apiErrors, apiScopes } from '../../../protocol/listing-api.ts';
import type { Api } from './api-env.ts';

const bullets = (terms: Readonly<Record<string, string>>): string =>
  Object.entries(terms)
    .map(([name, means]) => `- \`${name}\`: ${means}`)
    .join('\n');

const meanings = Object.fromEntries(Object.entries(apiErrors).map(([code, { means }]) => [code, means]));

/** What applies to every operation. In CommonMark with code spans only, because the reference’s page shows it as well. */
export const apiIntroduction = {
  lead: 'The owner of a listing reports a bot’s statistics, checks and reads votes, and registers a webhook for them.',
  scopes: 'A token belongs to one listing and has scopes:',
  codes: 'All errors have the same body. Use the code to tell them apart:',
  limits: 'Limits apply to the listing, not to each token. Requests over a limit get 429 with Retry-After.',
} as const;

const { lead, scopes, codes, limits } = apiIntroduction;
const DESCRIPTION = [lead, scopes, bullets(apiScopes), codes, bullets(meanings), limits].join('\n\n');

/** GET /openapi.json: the reference, made from the schemas that validate requests. It needs no token. */
export function reference(api: Api): void {
  api.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description: `A token of the listing, from its dashboard. Scopes:\n\n${bullets(apiScopes)}`,
  });
  api.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Vote Listing Developer API', version: '1', description: DESCRIPTION },
  });
}
