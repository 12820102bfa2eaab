import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { apiErrors } from '../../protocol/listing-api/errors.ts';
import { encodeVotePayload, type VoteFacts } from '../../protocol/webhook/payload.ts';
import { signBody } from '../../protocol/webhook/signature.ts';
import { docsPages, servedReference } from '../../src/listing/docs/docs-page.ts';
import type { OpenApiDocument, Schema } from '../../src/listing/docs/openapi.ts';
import { operationsOf, resolverOf } from '../../src/listing/docs/openapi.ts';
import { sampleReceiver } from '../../src/listing/docs/sample-receiver.ts';
import { curlExamples } from '../../src/listing/docs/samples.ts';
import {
  headerMeanings,
  payloadMeanings,
  payloadRows,
  sampleDelivery,
} from '../../src/listing/docs/webhook-sections.ts';
import { eventStates } from '../../src/listing/webhooks/event-state.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freshSite } from '../support/fresh-listing.ts';
import { naming } from '../support/naming.ts';
import { ROOT } from './api-client.ts';
import { type Kind, listingService } from './listing-service.ts';

const REFERENCE_PATH = `${ROOT}/openapi.json`;
const ORIGIN = 'http://127.0.0.1:8190';

const served = (): Promise<OpenApiDocument> => servedReference(listingService().api, REFERENCE_PATH);

/** The page of the reference, as a signed-out visitor sees it, for the served document or another one. */
async function docsPage(document?: OpenApiDocument): Promise<string> {
  const site = freshSite();
  const reference = async () => document ?? (await served());
  const limits = { requestsPerMinute: 600, retryScheduleMs: [10_000, 60_000] };
  site.app.route('/', docsPages({ reference, referencePath: REFERENCE_PATH, ...limits }));
  const { status, text } = await site.visitor().get('/docs');
  expect(status).toBe(200);
  return text;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
const readable = (markup: string): string =>
  markup.replaceAll(/<[^>]*>/g, '').replaceAll(/&([a-z]+|#39);/g, (sign, name) => ENTITIES[name] ?? sign);

/** The section with this ID. */
function sectionOf(page: string, id: string): string {
  const [, after = ''] = page.split(`<section class="card" id="${id}"`);
  expect(after, `there is no section ${id}`).not.toBe('');
  return after.slice(0, after.indexOf('</section>'));
}

const cellsOf = (markup: string): string[] =>
  (markup.match(/<td[\s\S]*?<\/td>/g) ?? []).map((cell) => readable(cell).trim());

/** The names of all fields, at any depth, in all forms. */
function fieldNames(schema: Schema, document: OpenApiDocument): string[] {
  const { properties = {}, anyOf = [], items } = resolverOf(document)(schema);
  const inside = [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])];
  return [...Object.keys(properties), ...inside.flatMap((one) => fieldNames(one, document))];
}

describe('NS-39: the reference page', () => {
  test('shows every operation with its method, path, scopes and codes', async () => {
    const document = await served();
    const page = await docsPage(document);
    const operations = operationsOf(document);
    expect(operations).toHaveLength(7);
    for (const { operationId, method, path, summary, scopes, failures } of operations) {
      const section = sectionOf(page, operationId);
      expect(section).toContain(`<code>${method} ${path}</code></h2>`);
      expect(readable(section)).toContain(summary);
      expect(scopes.length).toBeGreaterThan(0);
      for (const scope of scopes) expect(section).toContain(`<span class="tag">${scope}</span>`);
      expect(failures.length).toBeGreaterThanOrEqual(6);
      for (const { status, code } of failures) {
        expect(section).toContain(`<a href="#error-${code}" aria-label="${status} ${code}">`);
      }
    }
  });

  test('shows all nine codes, each with its status and meaning', async () => {
    const cells = cellsOf(sectionOf(await docsPage(), 'errors'));
    const codes = Object.entries(apiErrors);
    expect(codes).toHaveLength(9);
    for (const [code, { status, means }] of codes) {
      const at = cells.indexOf(code);
      expect(cells.slice(at, at + 3)).toEqual([code, String(status), means]);
    }
  });

  test('names every field of requests and responses', async () => {
    const document = await served();
    const page = await docsPage(document);
    for (const { operationId, body, answer, parameters = [] } of operationsOf(document)) {
      const names = [...fieldNames(body ?? {}, document), ...fieldNames(answer ?? {}, document)];
      const shown = cellsOf(sectionOf(page, operationId)).map((name) => name.split(/\.|\[\]/).at(-1));
      expect(shown).toEqual(expect.arrayContaining([...names, ...parameters.map(({ name }) => name)]));
    }
  });

  test('shows required fields, bounds, defaults and both forms of a batch', async () => {
    const page = await docsPage();
    const report = cellsOf(sectionOf(page, 'reportBotStats'));
    const rowOf = (name: string): string[] => report.slice(report.indexOf(name), report.indexOf(name) + 3);
    expect(rowOf('serverCount')).toEqual(['serverCount', naming('integer', '0', '10,000,000'), 'yes']);
    expect(rowOf('shardCount')).toEqual(['shardCount', naming('integer', '0', '10,000'), 'no']);
    expect(cellsOf(sectionOf(page, 'registerWebhook'))).toContainEqual(
      naming('1', '["vote.created"]', ' vote.created'),
    );
    const limit = cellsOf(sectionOf(page, 'listVotes'));
    expect(limit).toContainEqual(naming('integer', '1', '100', '50'));
    expect(cellsOf(sectionOf(page, 'checkVotes'))).toEqual(
      expect.arrayContaining(['userIds', 'playerNames']),
    );
    expect(cellsOf(sectionOf(page, 'checkVotes'))).toContain('votes.<key>.votedAt');
  });

  test('changes when the OpenAPI document changes', async () => {
    const document = structuredClone(await served());
    const report = document.components.schemas.BotStatsReport as { properties: Record<string, Schema> };
    report.properties.guildCount = { type: 'integer', minimum: 3, description: 'Brand new.', example: 7 };
    const section = sectionOf(await docsPage(document), 'reportBotStats');
    expect(cellsOf(section)).toEqual(
      expect.arrayContaining(['guildCount', naming('integer', '3'), 'Brand new.']),
    );
    expect(readable(section)).toContain('"guildCount":7');
  });

  test('shows the limits, the link to the OpenAPI document, and how to send a token', async () => {
    const page = await docsPage();
    expect(page).toContain(`<a href="${REFERENCE_PATH}">`);
    expect(readable(sectionOf(page, 'start'))).toContain('http://127.0.0.1:8190/api/v1');
    expect(readable(sectionOf(page, 'start'))).toContain('Authorization: Bearer <token>');
    const limits = cellsOf(sectionOf(page, 'limits'));
    expect(limits.filter((cell) => /^\d+$/.test(cell))).toEqual(['1', '120', '30', '10', '5', '600']);
  });

  test('has an index without broken links or duplicate IDs', async () => {
    const page = await docsPage();
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    const linked = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(linked));
    const sections = [...page.matchAll(/<section class="card" id="([^"]*)"/g)].map(([, id]) => id);
    const index = sectionOf(page, 'contents');
    for (const id of sections.slice(1)) expect(index).toContain(`href="#${id}"`);
  });

  test('reads the document only once, but retries if reading it failed', async () => {
    const site = freshSite();
    const document = await served();
    let read = 0;
    const reference = (): OpenApiDocument => {
      read += 1;
      if (read === 1) throw new Error('not yet');
      return document;
    };
    const parts = { reference, referencePath: REFERENCE_PATH, requestsPerMinute: 600, retryScheduleMs: [] };
    site.app.route('/', docsPages(parts));
    const statuses = [];
    for (let visit = 0; visit < 3; visit++) statuses.push((await site.visitor().get('/docs')).status);
    expect([statuses, read]).toEqual([[500, 200, 200], 2]);
  });
});

describe('WF-06: the page', () => {
  test('has no inline style or script, which the content security policy forbids', async () => {
    const page = await docsPage();
    expect(page.match(/<script[^>]*>/g)).toEqual([expect.stringContaining(' src="/')]);
    expect(page).not.toMatch(/<style|<[^>]* style=|<[^>]* on[a-z]+=|javascript:/);
  });

  test('escapes hostile text anywhere in the document', async () => {
    const evil = `"><script>alert(1)</script>'\`$(x)`;
    const spoiled = JSON.parse(JSON.stringify(await served()), (key, value) =>
      typeof value === 'string' && /^(summary|description|title|pattern|example|operationId)$/.test(key)
        ? `${value} ${evil}`
        : value,
    );
    const poisoned = JSON.parse(
      JSON.stringify(spoiled)
        .replaceAll('serverCount', '<img src=x>')
        .replaceAll('votes:read', '<b>scope</b>'),
    );
    const page = await docsPage(poisoned);
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toMatch(/<img|<b>/);
    expect(readable(page)).toContain('<img src=x>');
    expect(readable(page)).toContain('<script>alert(1)</script>');
  });
});

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** Runs an example in a shell in which `curl` is a function that prints its arguments. Nothing is sent. */
function runInShell(example: string, variables: Readonly<Record<string, string>>): Sent {
  const script = `curl() { printf '%s\\0' "$@"; }\n${example}`;
  const words = execFileSync('sh', ['-euc', script], { env: variables, encoding: 'utf8' }).split('\0');
  const valuesOf = (option: string): string[] =>
    words.flatMap((word, index) => (word === option ? [words[index + 1] ?? ''] : []));
  const headers = valuesOf('-H').map((header) => header.split(': ', 2));
  const [body] = valuesOf('-d');
  const url = words.find((word) => word.startsWith('http')) ?? '';
  return { method: valuesOf('-X')[0] ?? 'GET', url, headers: Object.fromEntries(headers), body };
}

/** Sends the example's request to the real API. */
async function answerToExample(example: string, kind: Kind) {
  const service = listingService();
  const { listing, token } = await service.owner(kind);
  const { method, url, headers, body } = runInShell(example, { TOKEN: token, ID: listing.id });
  expect(url.startsWith(`${ORIGIN}${ROOT}/`)).toBe(true);
  const asked = { headers, ...(body === undefined ? {} : { text: body }) };
  return service.client.ask(method, url.slice(`${ORIGIN}${ROOT}`.length), asked);
}

describe('the examples', () => {
  test('cover each form of each operation, and each gets 200', async () => {
    const document = await served();
    const page = readable(await docsPage(document));
    const operations = operationsOf(document);
    const examples = operations.flatMap((operation) =>
      curlExamples(operation, ORIGIN, resolverOf(document)).map((example) => ({ operation, example })),
    );
    expect(examples).toHaveLength(8);
    for (const { operation, example } of examples) {
      expect(page).toContain(example);
      const kind = operation.scopes.includes('stats:write') ? 'bot' : 'minecraft';
      const { status, body } = await answerToExample(example, kind);
      expect([status, body.message], example).toEqual([200, undefined]);
    }
  });

  test('quote hostile text from the document as a single shell argument', async () => {
    const document = structuredClone(await served());
    const evil = `it's "$(touch x)" \`id\` \\`;
    const test = document.components.schemas.WebhookTest as { properties: Record<string, Schema> };
    test.properties.webhookUrl = { type: 'string', example: evil };
    const operation = operationsOf(document).find(({ operationId }) => operationId === 'testWebhook')!;
    const hostile = { ...operation, path: `/a"$(touch x)\`id\`\\` };
    const [example = ''] = curlExamples(hostile, ORIGIN, resolverOf(document));
    const { url, body } = runInShell(example, { TOKEN: 'token' });
    expect(JSON.parse(body ?? '')).toEqual({ webhookUrl: evil });
    expect(url).toBe(`${ORIGIN}${hostile.path}`);
  });
});

describe('the webhook section', () => {
  test('explains every field of the payload and every header, and no others', async () => {
    const rows = payloadRows();
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(payloadMeanings));
    const [nested, optional] = ['data.userId', 'data.game'].map((name) =>
      rows.find((row) => row.name === name),
    );
    expect([nested?.isRequired, optional?.isRequired]).toEqual([true, false]);
    expect(Object.keys(sampleDelivery.headers)).toEqual(Object.keys(headerMeanings));
    const shown = cellsOf(sectionOf(await docsPage(), 'webhook'));
    expect(shown).toEqual(expect.arrayContaining([...Object.keys(payloadMeanings), 'X-Webhook-Signature']));
  });

  test('shows the result of every kind of response, and the configured retries', async () => {
    const section = sectionOf(await docsPage(), 'outcomes');
    const cells = cellsOf(section).map((cell) => cell.split(' ')[0]);
    const word = (state: keyof typeof eventStates) => eventStates[state].label.split(' ')[0];
    expect(cells.slice(0, 8)).toEqual([
      ...['2xx', word('delivered'), '3xx', word('retrying')],
      ...['4xx', word('undelivered'), '5xx', word('retrying')],
    ]);
    expect(cells.at(-1)).toBe(word('retrying'));
    expect(readable(section)).toMatch(/\b10 s, 1 min\b/);
  });

  test('HD-08: shows a sample delivery with a valid signature', async () => {
    const page = readable(await docsPage());
    const { secret, body, headers } = sampleDelivery;
    expect(page).toContain(String(body));
    expect(page).toContain(headers['X-Webhook-Signature']);
    const computed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-r'], {
      input: body,
      encoding: 'utf8',
    });
    expect(headers['X-Webhook-Signature']).toBe(`sha256=${computed.split(' ')[0]}`);
  });
});

const SECRET = 'whsec_for this test, € included';
const VOTE: VoteFacts = {
  eventId: '019e82f1-5800-7c41-9d5e-0b7a2f4c6d11',
  listingId: 'listing',
  userId: '1',
  votedAt: 0,
  nextVoteAt: 1,
  weight: 1,
  game: 'minecraft',
  playerName: 'Steve',
};

/** The receiver from the page, started as the page says, with `pay` as its reward. */
async function startedReceiver(pay: (vote: unknown) => Promise<void> = async () => {}) {
  const paid: unknown[] = [];
  vi.stubGlobal('pay', async (vote: unknown) => {
    await pay(vote);
    paid.push(vote);
  });
  vi.stubEnv('WEBHOOK_SECRET', SECRET);
  vi.stubEnv('PORT', '0');
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  });
  const text = sampleReceiver.replace('{ userId, playerName }) {}', 'vote) { await globalThis.pay(vote); }');
  expect(text).not.toBe(sampleReceiver);
  const file = join(temporaryFolder({ 'receiver.mjs': text }), 'receiver.mjs');
  const { server } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { server: Server };
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  if (!server.listening) await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const deliver = async (body: Uint8Array, signature: string | null): Promise<number> => {
    const headers = signature === null ? {} : { 'X-Webhook-Signature': signature };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  return { deliver, paid };
}

describe('HD-10: the published sample receiver', () => {
  test('is shown on the page', async () => {
    expect(readable(sectionOf(await docsPage(), 'receiver'))).toContain(sampleReceiver.trim());
  });

  test('HD-10: accepts a delivery with a valid signature, and pays its vote once even if it arrives twice', async () => {
    const { deliver, paid } = await startedReceiver();
    const body = encodeVotePayload(VOTE, 0);
    expect(await deliver(body, signBody(body, SECRET))).toBe(200);
    expect(await deliver(body, signBody(body, SECRET))).toBe(200);
    expect(paid).toEqual([expect.objectContaining({ userId: '1', playerName: 'Steve' })]);
  });

  test('HD-10: pays once if copies arrive while it is paying', async () => {
    const { deliver, paid } = await startedReceiver(() => new Promise((resolve) => setImmediate(resolve)));
    const body = encodeVotePayload(VOTE, 0);
    const copies = Array.from({ length: 5 }, () => deliver(body, signBody(body, SECRET)));
    expect(await Promise.all(copies)).toEqual([200, 200, 200, 200, 200]);
    expect(paid).toHaveLength(1);
  });

  test('HD-10: answers 500 if a vote could not be paid, and pays it on the retry', async () => {
    let isBroken = true;
    const { deliver, paid } = await startedReceiver(async () => {
      if (isBroken) throw new Error('out of diamonds');
    });
    const body = encodeVotePayload(VOTE, 0);
    expect(await deliver(body, signBody(body, SECRET))).toBe(500);
    isBroken = false;
    expect(await deliver(body, signBody(body, SECRET))).toBe(200);
    expect(paid).toHaveLength(1);
  });

  test('HD-10: refuses a delivery that was altered, signed with another secret, or not signed', async () => {
    const { deliver, paid } = await startedReceiver();
    const body = encodeVotePayload(VOTE, 0);
    const changed = Buffer.from(String(body).replace('Steve', 'Stefe'));
    const signature = signBody(body, SECRET);
    expect(changed).toHaveLength(body.length);
    expect(await deliver(changed, signature)).toBe(401);
    expect(await deliver(Buffer.concat([body, Buffer.from('\n')]), signature)).toBe(401);
    expect(await deliver(body, signBody(body, 'another secret'))).toBe(401);
    expect(await deliver(body, signature.toUpperCase())).toBe(401);
    expect(await deliver(body, signature.slice('sha256='.length))).toBe(401);
    expect(await deliver(body, null)).toBe(401);
    expect(paid).toEqual([]);
  });

  test('HD-10: answers a test delivery and pays nothing for it', async () => {
    const { deliver, paid } = await startedReceiver();
    const body = encodeVotePayload({ ...VOTE, eventId: null }, 0);
    expect(await deliver(body, signBody(body, SECRET))).toBe(200);
    expect(paid).toEqual([]);
  });

  test('HD-10: survives a signed body that is not JSON, and one that is too large', async () => {
    const { deliver, paid } = await startedReceiver();
    const text = Buffer.from('hello');
    expect(await deliver(text, signBody(text, SECRET))).toBe(500);
    expect(await deliver(Buffer.alloc(70_000, 'x'), null)).toBe(413);
    const body = encodeVotePayload(VOTE, 0);
    expect(await deliver(body, signBody(body, SECRET))).toBe(200);
    expect(paid).toHaveLength(1);
  });
});
