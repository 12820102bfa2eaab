import { Hono } from 'hono';
import { showPage } from '../../web/show.ts';
import type { PageEnv } from '../../web/site.ts';
import type { Account } from '../accounts/account.ts';
import { apiIntroduction } from '../api/reference.ts';
import { type OpenApiDocument, operationsOf, resolverOf } from './openapi.ts';
import { type Opening, openingSections } from './opening-sections.ts';
import { operationSection } from './operation-section.ts';
import { webhookSections } from './webhook-sections.ts';

export interface DocsParts {
  /** The OpenAPI document that the API serves; read at the first visit, then cached. */
  readonly reference: () => OpenApiDocument | Promise<OpenApiDocument>;
  /** Its path, `/api/v1/openapi.json`. The paths of the operations have the same root. */
  readonly referencePath: string;
  /** The limit for one address, across the whole API. */
  readonly requestsPerMinute: number;
  /** The pauses before the retries of a failed delivery. */
  readonly retryScheduleMs: readonly number[];
}

const DOCS_PATH = '/docs';

/** The public reference for people (NS-39), generated from the OpenAPI document. To be mounted on a `pageApp`. */
export function docsPages(parts: DocsParts): Hono<PageEnv<Account>> {
  const pages = new Hono<PageEnv<Account>>();
  let document: OpenApiDocument | null = null;
  pages.get(DOCS_PATH, async (c) => {
    document ??= await parts.reference();
    const origin = `${c.var.site.https ? 'https' : 'http'}://${c.req.header('host')}`;
    const opening: Opening = {
      ...parts,
      document,
      operations: operationsOf(document),
      resolve: resolverOf(document),
      origin,
    };
    return showPage(c, {
      title: document.info.title,
      lead: apiIntroduction.lead,
      body: [
        openingSections(opening),
        opening.operations.map((operation) => operationSection(operation, origin, opening.resolve)),
        webhookSections(parts.retryScheduleMs),
      ],
    });
  });
  return pages;
}

/** Fetches the document from an API, for `reference`. */
export async function servedReference(
  api: { request(path: string): Response | Promise<Response> },
  path: string,
): Promise<OpenApiDocument> {
  const response = await api.request(path);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return (await response.json()) as OpenApiDocument;
}
