/** The reference page of the developer API, and what it publishes: examples, a sample delivery, a sample receiver. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { apiErrors } from '../../protocol/listing-api.ts';
import { encodeVotePayload, signBody, type VoteFacts } from '../../protocol/webhook.ts';
import { listing } from '../kit/listing.ts';
import { ROOT } from '../kit/listing-program.ts';
import { hooked } from '../kit/listing-webhook.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
const readable = (markup: string): string =>
  markup.replaceAll(/<[^>]*>/g, '').replaceAll(/&([a-z]+|#39);/g, (sign, name) => ENTITIES[name] ?? sign);

/** The page, as a signed-out visitor sees it, and the document that it is made of. */
async function docs() {
  const site = await listing();
  const { status, html: page } = await site.visitor().open('/docs');
  expect(status).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: tests read any part of the document
  const document = (await site.api.referenceDocument()) as any;
  const operations = Object.entries<Record<string, object>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...{ method: method.toUpperCase(), path },
      // biome-ignore lint/suspicious/noExplicitAny: the same
      ...(operation as any),
    })),
  );
  /** The names of all fields, at any depth, in all forms. */
  const fieldsOf = (schema: Schema = {}): string[] => {
    const name = schema.$ref?.split('/').at(-1);
    const { properties = {}, anyOf = [], items } = name ? document.components.schemas[name] : schema;
    const inside = [...Object.values<Schema>(properties), ...anyOf, ...(items === undefined ? [] : [items])];
    return [...Object.keys(properties), ...inside.flatMap(fieldsOf)];
  };
  return { site, page, document, operations, fieldsOf };
}

/** The section with this ID. */
function sectionOf(page: string, id: string): string {
  const [, after = ''] = page.split(`<section class="card" id="${id}"`);
  expect(after, `there is no section ${id}`).not.toBe('');
  return after.slice(0, after.indexOf('</section>'));
}

const cellsOf = (markup: string): string[] =>
  (markup.match(/<td[\s\S]*?<\/td>/g) ?? []).map((cell) => readable(cell).trim());

/** The code blocks of a section. */
const codeOf = (markup: string): string[] =>
  [...markup.matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g)].map(([, code]) => readable(code!));

test('NS-39: the page shows every operation with its method, path, summary, scopes, codes and all fields', async () => {
  const { page, operations, fieldsOf } = await docs();
  expect(operations).toHaveLength(7);
  for (const { operationId, method, path, security, responses, ...operation } of operations) {
    const section = sectionOf(page, operationId);
    expect(section).toContain(`<code>${method} ${path}</code></h2>`);
    expect(readable(section)).toContain(operation.summary);
    const scopes = security.flatMap(({ token }: { token: string[] }) => token);
    expect(scopes.length).toBeGreaterThan(0);
    for (const scope of scopes) expect(section).toContain(`<span class="tag">${scope}</span>`);
    const codes = [...section.matchAll(/<a href="#error-(\w+)" aria-label="(\d+) \1">/g)];
    expect(codes.length).toBeGreaterThanOrEqual(6);
    for (const [, code, status] of codes)
      expect([code, Number(status), status! in responses]).toEqual([
        ...[code, apiErrors[code as keyof typeof apiErrors].status, true],
      ]);
    const { requestBody, parameters = [] } = operation;
    const schemas = [requestBody, responses['200']].map((part) => part?.content['application/json'].schema);
    const names = [...schemas.flatMap(fieldsOf), ...parameters.map(({ name }: { name: string }) => name)];
    const shown = cellsOf(section).map((name) => name.split(/\.|\[\]/).at(-1));
    expect(shown).toEqual(expect.arrayContaining(names));
  }
});

test('NS-39, WF-06: the page shows the codes, required fields, bounds, limits and how to send a token, and links only what is there, without inline style or script', async () => {
  const { page, site } = await docs();
  const errors = cellsOf(sectionOf(page, 'errors'));
  const codes = Object.entries(apiErrors);
  expect(codes).toHaveLength(9);
  for (const [code, { status, means }] of codes) {
    const at = errors.indexOf(code);
    expect(errors.slice(at, at + 3)).toEqual([code, String(status), means]);
  }

  const report = cellsOf(sectionOf(page, 'reportBotStats'));
  const rowOf = (name: string): string[] => report.slice(report.indexOf(name), report.indexOf(name) + 3);
  expect(rowOf('serverCount')).toEqual(['serverCount', naming('integer', '0', '10,000,000'), 'yes']);
  expect(rowOf('shardCount')).toEqual(['shardCount', naming('integer', '0', '10,000'), 'no']);
  expect(cellsOf(sectionOf(page, 'registerWebhook'))).toContainEqual(
    naming('1', '["vote.created"]', ' vote.created'),
  );
  expect(cellsOf(sectionOf(page, 'listVotes'))).toContainEqual(naming('integer', '1', '100', '50'));
  const batch = ['userIds', 'playerNames', 'votes.<key>.votedAt'];
  expect(cellsOf(sectionOf(page, 'checkVotes'))).toEqual(expect.arrayContaining(batch));

  expect(page).toContain(`<a href="${ROOT}/openapi.json">`);
  const start = readable(sectionOf(page, 'start'));
  expect(start).toContain(`http://127.0.0.1:${site.port}${ROOT}`);
  expect(start).toContain('Authorization: Bearer <token>');
  const limits = cellsOf(sectionOf(page, 'limits')).filter((cell) => /^\d+$/.test(cell));
  expect(limits).toEqual(['1', '120', '30', '10', '5', '600']);

  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  const linked = [...page.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(linked));
  const sections = [...page.matchAll(/<section class="card" id="([^"]*)"/g)].map(([, id]) => id);
  const index = sectionOf(page, 'contents');
  for (const id of sections.slice(1)) expect(index).toContain(`href="#${id}"`);
  expect(page.match(/<script[^>]*>/g)).toEqual([expect.stringContaining(' src="/')]);
  expect(page).not.toMatch(/<style|<[^>]* style=|<[^>]* on[a-z]+=|javascript:/);
});

/** Runs an example in a shell in which `curl` is a function that prints its arguments. Nothing is sent. */
function runInShell(example: string, variables: Readonly<Record<string, string>>) {
  const script = `curl() { printf '%s\\0' "$@"; }\n${example}`;
  const words = execFileSync('sh', ['-euc', script], { env: variables, encoding: 'utf8' }).split('\0');
  const valuesOf = (option: string): string[] =>
    words.flatMap((word, index) => (word === option ? [words[index + 1] ?? ''] : []));
  const headers = Object.fromEntries(valuesOf('-H').map((header) => header.split(': ', 2)));
  const url = words.find((word) => word.startsWith('http')) ?? '';
  return { method: valuesOf('-X')[0] ?? 'GET', url, headers, body: valuesOf('-d')[0] };
}

test('each example of each operation gets 200', async () => {
  const { site, page, operations } = await docs();
  const origin = `http://127.0.0.1:${site.port}${ROOT}`;
  let sent = 0;
  for (const { operationId, path } of operations) {
    for (const example of codeOf(sectionOf(page, operationId)).filter((code) => code.startsWith('curl '))) {
      const { listed, token } = await site.owned(path.includes('/bots/') ? 'bot' : 'minecraft');
      const { method, url, headers, body } = runInShell(example, { TOKEN: token, ID: listed.id });
      expect(url.startsWith(`${origin}/`)).toBe(true);
      // The examples’ receiver does not exist.
      const text = body?.replace(/"webhookUrl":"[^"]*"/, '"webhookUrl":"http://127.0.0.1:1/"');
      const asked = { headers, ...(text === undefined ? {} : { text }) };
      const answer = await site.api.ask(method, url.slice(origin.length), asked);
      expect([example, answer.status, answer.body.message]).toEqual([example, 200, undefined]);
      sent += 1;
    }
  }
  expect(sent).toBe(8);
});

test('the webhook section explains every field of a payload, every header and every kind of answer, and no others', async () => {
  const { vote, receiver, site } = await hooked({ fields: { secret: 'own', ownSecret: 'shared' } });
  await vote('Steve');
  const [{ json, headers }] = receiver.requests as [(typeof receiver.requests)[0]];
  const { html: page } = await site.visitor().open('/docs');
  const cells = cellsOf(sectionOf(page, 'webhook'));
  const { data, ...top } = json;
  const fields = [...Object.keys(top), ...Object.keys(data).map((name) => `data.${name}`)];
  expect(cells.filter((cell) => fields.includes(cell)).toSorted()).toEqual(fields.toSorted());
  const typeOf = (name: string) => cells[cells.indexOf(name) + 1];
  expect(typeOf('data.userId')).toBe('string');
  expect(typeOf('data.game')).toContain('can be missing');
  const own = Object.keys(headers).filter((name) => /^x-|^content-type$/.test(name));
  expect(cells.map((cell) => cell.toLowerCase())).toEqual(expect.arrayContaining(own));

  const outcomes = sectionOf(page, 'outcomes');
  const words = cellsOf(outcomes).map((cell) => cell.split(' ')[0]);
  const each = ['2xx', 'Delivered', '3xx', 'Retrying', '4xx', 'Undelivered', '5xx', 'Retrying'];
  expect(words.slice(0, 8)).toEqual(each);
  expect(words.at(-1)).toBe('Retrying');
  expect(readable(outcomes)).toMatch(/\b10 s, 1 min, 10 min, 1 h, 6 h\b/);
});

test('HD-08: the page shows a sample delivery with a valid signature', async () => {
  const page = await (await listing()).visitor().open('/docs');
  const [secret, headers, body] = ['secret', 'headers', 'body'].map((part) => page.code(`sample-${part}`)!);
  expect(JSON.parse(body!)).toMatchObject({ event: 'vote.created', version: 1 });
  const words = ['dgst', '-sha256', '-hmac', secret!, '-r'];
  const computed = execFileSync('openssl', words, { input: body!, encoding: 'utf8' });
  expect(`${headers}\n`).toContain(`X-Webhook-Signature: sha256=${computed.split(' ')[0]}\n`);
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
async function startedReceiver(pay: (vote: unknown) => Promise<void>) {
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
  const published = codeOf(sectionOf((await docs()).page, 'receiver'))[0]!;
  const text = published.replace('{ userId, playerName }) {}', 'vote) { await globalThis.pay(vote); }');
  expect(text).not.toBe(published);
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

const body = encodeVotePayload(VOTE, 0);
const signature = signBody(body, SECRET);

test('HD-10: the published sample receiver pays a vote once, even if copies arrive while it is paying, also on the retry after a 500 because it could not be paid; refuses what was altered, signed with another secret, not signed or too large, pays nothing for a test, and survives a signed body that is not JSON', async () => {
  let isBroken = true;
  const { deliver, paid } = await startedReceiver(async () => {
    if (isBroken) throw new Error('out of diamonds');
    await new Promise((resolve) => setImmediate(resolve));
  });
  expect(await deliver(body, signature)).toBe(500);
  isBroken = false;
  const copies = Array.from({ length: 5 }, () => deliver(body, signature));
  expect(await Promise.all(copies)).toEqual([200, 200, 200, 200, 200]);
  expect(await deliver(body, signature)).toBe(200);
  expect(paid).toEqual([expect.objectContaining({ userId: '1', playerName: 'Steve' })]);

  const changed = Buffer.from(String(body).replace('Steve', 'Stefe'));
  expect(changed).toHaveLength(body.length);
  const trial = encodeVotePayload({ ...VOTE, eventId: null }, 0);
  const text = Buffer.from('hello');
  for (const [sent, written, status] of [
    [changed, signature, 401],
    [Buffer.concat([body, Buffer.from('\n')]), signature, 401],
    [body, signBody(body, 'another secret'), 401],
    [body, signature.toUpperCase(), 401],
    [body, signature.slice('sha256='.length), 401],
    [body, null, 401],
    [trial, signBody(trial, SECRET), 200],
    [text, signBody(text, SECRET), 500],
    [Buffer.alloc(70_000, 'x'), null, 413],
  ] as const)
    expect([written, await deliver(sent, written)]).toEqual([written, status]);
  expect(paid).toHaveLength(1);
  const next = encodeVotePayload({ ...VOTE, eventId: '019e82f1-5800-7c41-9d5e-0b7a2f4c6d12' }, 0);
  expect([await deliver(next, signBody(next, SECRET)), paid]).toMatchObject([200, { length: 2 }]);
});
