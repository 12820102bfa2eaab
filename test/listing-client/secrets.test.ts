import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { advice, faults } from '../../src/votes/listing-client/result.ts';
import {
  clientOf,
  failure,
  html,
  json,
  type Script,
  scriptedApi,
  scriptedServer,
  TOKEN,
} from './scripted-api.ts';

/** A service in debug mode: it repeats what it was sent. */
const echo =
  (status: number, code: string): Script =>
  (response, request) =>
    json(status, failure(status, code, { message: `You sent ${request.headers.authorization}, ${TOKEN}!` }))(
      response,
      request,
    );

const redirectWithToken: Script = (response) =>
  void response.writeHead(302, { Location: `https://elsewhere.example/?token=${TOKEN}` }).end();

test.each([
  ['a refusal that repeats it', echo(401, 'INVALID_TOKEN')],
  ['a redirect that repeats it', redirectWithToken],
  ['a page', html(500)],
  ['a lost connection', (response) => void response.destroy()],
  ['an answer that is not a list', json(200, { [TOKEN]: 1 })],
] satisfies [string, Script][])('the token is sent but not shown: %s', async (_what, script) => {
  const server = await scriptedServer(script);
  const { client } = clientOf(server.root, { retryForMs: 0 });
  const text = JSON.stringify(await client.votes());
  expect(server.requests[0]?.authorization).toBe('Bearer tok_8d2f61c0a94b7e35');
  expect(text).toMatch(/"kind":"(refused|unreachable|unfit)"/);
  expect(text).not.toContain('8d2f61c0');
});

test('shortening a long message never leaves part of the token', async () => {
  const message = `${'x'.repeat(190)}${TOKEN}`;
  const { client } = await scriptedApi(json(403, failure(403, 'FORBIDDEN', { message })));
  const result = await client.votes();
  expect(result).toMatchObject({ kind: 'refused', message: `${'x'.repeat(190)}[secret]` });
});

test('colour codes inside the token do not hide it from redaction', async () => {
  const message = `tok_8d2f§a61c0a94b7e35 \u001b[31mred`;
  const { client } = await scriptedApi(json(403, failure(403, 'FORBIDDEN', { message })));
  expect(await client.votes()).toMatchObject({ message: '[secret] ?[31mred' });
});

test('a token that fetch quotes in its error is not shown', async () => {
  const { client } = clientOf('http://127.0.0.1:8190/api/v1', { token: `${TOKEN}\n` });
  expect(JSON.stringify(await client.votes())).not.toContain('8d2f61c0');
});

test('a printed client does not show its token', () => {
  const { client } = clientOf('http://127.0.0.1:8190/api/v1');
  expect(inspect(client, { depth: 9, showHidden: true })).not.toContain('8d2f61c0');
  expect(JSON.stringify(client)).not.toContain('8d2f61c0');
});

test('every failure has a complete sentence of its own', () => {
  const sentences = Object.values(faults).map(({ sentence }) => sentence({ where: 'W', detail: 'D' }));
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*[.?]$/);
  expect(new Set([...sentences, ...Object.values(advice)]).size).toBe(20);
});
