import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ListingClient } from '../../src/votes/listing-client/listing-client.ts';
import { networkFault } from '../../src/votes/listing-client/network-fault.ts';
import { type FaultCode, faults } from '../../src/votes/listing-client/result.ts';
import { freePort, scriptedListener } from '../sender/scripted-listener.ts';
import { selfSigned } from '../support/certificate.ts';
import { naming } from '../support/naming.ts';
import {
  failure,
  html,
  json,
  noVotes,
  clientOf as patientClientOf,
  type Script,
  scriptedApi,
  scriptedServer,
  stall,
  TOKEN,
} from './scripted-api.ts';

const MIB = 1024 * 1024;

/** Every code that the tests of this file have seen. */
const seen = new Set<string>();

/** A client that makes one request for each call, so that the first failure is returned. */
const clientOf: typeof patientClientOf = (baseUrl, options) =>
  patientClientOf(baseUrl, { retryForMs: 0, ...options });

const report = async (client: ListingClient) => {
  const result = await client.votes();
  if (result.kind === 'unreachable') seen.add(result.code);
  return result;
};

const unreachable = (code: FaultCode, reached: 'no' | 'unknown', ...facts: string[]) =>
  expect.objectContaining({
    kind: 'unreachable',
    code,
    reached,
    sentence: naming(...facts),
  });

/** The result of one scripted answer. */
const resultOf = async (script: Script) => report(clientOf((await scriptedServer(script)).root).client);

describe('before anything is sent', () => {
  test.each([
    'list.example/api/v1',
    'ftp://list.example/api/v1',
    'https://me:word@list.example/api/v1',
    'https://list.example/api/v1?x=1',
    'https://list.example/api/v1#x',
    'http://127.0.0.1:6667/api/v1',
    '',
  ])('%j is an address that cannot be used', async (baseUrl) => {
    const { client, clock } = clientOf(baseUrl);
    const result = await report(client);
    expect(result).toEqual(unreachable('address-unusable', 'no', faults['address-unusable'].sentence()));
    expect(JSON.stringify(result)).not.toContain('word@');
    expect([clock.waits, clock.pending]).toEqual([[], 0]);
  });

  test.each(['', 'tok_1\n', 'tok 1', 'tök_1', '令牌'])('%j is a token that cannot be sent', async (token) => {
    const server = await scriptedServer(noVotes);
    const { client } = clientOf(server.root, { token });
    expect(await report(client)).toEqual(
      unreachable('token-unusable', 'no', faults['token-unusable'].sentence()),
    );
    expect(server.requests).toEqual([]);
  });
});

describe('without a connection', () => {
  test('a host name without an address is host-unresolvable', async () => {
    const { client } = clientOf('http://list.invalid/api/v1');
    expect(await report(client)).toEqual(
      unreachable('host-unresolvable', 'no', 'http://list.invalid/api/v1'),
    );
  });

  test('a port at which nothing listens is port-refused, by address and by a name with several addresses', async () => {
    const port = await freePort();
    for (const host of ['127.0.0.1', 'localhost']) {
      const { client } = clientOf(`http://${host}:${port}/api/v1`);
      expect(await report(client)).toEqual(
        unreachable('port-refused', 'no', `http://${host}:${port}/api/v1`),
      );
    }
  });

  test('a name with one address that refuses and another without a route is port-refused', async () => {
    const tried = ['ENETUNREACH', 'ECONNREFUSED'].map((code) =>
      Object.assign(new Error(code), { code, syscall: 'connect' }),
    );
    const fails = async () => {
      throw new TypeError('fetch failed', { cause: new AggregateError(tried) });
    };
    const { client } = clientOf('http://list.example/api/v1', { fetch: fails });
    expect(await report(client)).toEqual(unreachable('port-refused', 'no', 'http://list.example/api/v1'));
  });

  test.each([
    ['EHOSTUNREACH', { syscall: 'connect' }],
    ['UND_ERR_CONNECT_TIMEOUT', {}],
  ])('%s is no-connection', async (code, more) => {
    const fails = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(TOKEN), { code, ...more }) });
    };
    const { client } = clientOf('http://127.0.0.1/api/v1', { fetch: fails });
    expect(await report(client)).toEqual(unreachable('no-connection', 'no', `(${code})`));
  });

  test('an untrusted certificate is tls-failed without a retry, and the token is not sent', async () => {
    let requests = 0;
    const server = createTlsServer(selfSigned(), () => requests++).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { client, clock } = clientOf(`https://localhost:${(server.address() as AddressInfo).port}/api/v1`);
    const result = await client.votes();
    expect(result).toEqual(unreachable('tls-failed', 'no', 'DEPTH_ZERO_SELF_SIGNED_CERT'));
    expect([await report(client), requests, clock.waits]).toEqual([result, 0, []]);
  });

  test('https to a port that speaks http is tls-failed', async () => {
    const server = await scriptedServer(noVotes);
    const { client } = clientOf(server.root.replace('http:', 'https:'));
    expect(await report(client)).toEqual(
      unreachable('tls-failed', 'no', server.root.replace('http:', 'https:')),
    );
  });
});

describe('within one attempt', () => {
  test('an attempt with no answer within 10 s fails with deadline, and is retried', async () => {
    const { client, clock, server } = await scriptedApi(stall, noVotes);
    const result = client.votes();
    await server.receivedRequests(1);
    clock.advance(9_999);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    await clock.passWaits(1_000);
    expect(await result).toMatchObject({ kind: 'ok', value: { votes: [], unread: [] } });
    expect(clock.pending).toBe(0);
  });

  test('an attempt whose answer is incomplete after 10 s fails with deadline', async () => {
    let begun: () => void = () => {};
    const first = new Promise<void>((resolve) => (begun = resolve));
    const server = await scriptedServer((response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('[', () => begun());
    });
    const { client, clock } = clientOf(server.root);
    const result = report(client);
    await first;
    clock.advance(10_000);
    expect(await result).toEqual(unreachable('deadline', 'unknown', '10 s'));
  });

  test.each([
    ['before it answers', (response) => response.destroy()],
    [
      'within its answer',
      (response) => {
        response.writeHead(200, { 'Content-Length': '100' }).write('[', () => response.destroy());
      },
    ],
  ] satisfies [string, Script][])('a connection that closes %s is connection-lost', async (_when, script) => {
    expect(await resultOf(script)).toEqual(unreachable('connection-lost', 'unknown', 'http://'));
  });

  test('an error without a code is connection-lost, and its message is not passed on', async () => {
    const fails = async () => {
      throw new Error(`Bearer ${TOKEN}`);
    };
    const { client } = clientOf('http://127.0.0.1/api/v1', { fetch: fails });
    const result = await report(client);
    expect(result).toEqual(unreachable('connection-lost', 'unknown', 'http://127.0.0.1/api/v1'));
    expect(JSON.stringify(result)).not.toContain(TOKEN);
  });

  test.each([301, 302, 303, 307, 308])('a %i is reported as redirected, and not followed', async (status) => {
    const elsewhere = await scriptedServer(noVotes);
    const { client, server, clock } = await scriptedApi((response) => {
      response.writeHead(status, { Location: `${elsewhere.root}/webhooks/votes` }).end();
    });
    const to = `${elsewhere.root}/webhooks/votes`;
    expect(await client.votes()).toEqual(unreachable('redirected', 'unknown', to));
    expect(await report(client)).toEqual(unreachable('redirected', 'unknown', to));
    expect([elsewhere.requests, server.requests.length, clock.waits]).toEqual([[], 2, []]);
  });

  test('a redirect with an endless body does not keep its connection open', async () => {
    let closed: () => void = () => {};
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const script: Script = (response) => {
      response.on('close', () => closed());
      response.writeHead(302, { Location: '/' }).write('<html>');
    };
    expect(await resultOf(script)).toMatchObject({ code: 'redirected' });
    await gone;
  });

  test.each([
    [
      'with its length announced',
      { 'Content-Length': String(4 * MIB + 1) },
      (size: number) => Buffer.alloc(size, ' '),
    ],
    ['in chunks', {}, (size: number) => Buffer.alloc(size, ' ')],
    ['compressed', { 'Content-Encoding': 'gzip' }, (size: number) => gzipSync(Buffer.alloc(size, ' '))],
  ])('an answer of more than 4 MiB is answer-too-large: %s', async (_how, headers, bytes) => {
    const tooLarge: Script = (response) => void response.writeHead(200, headers).end(bytes(4 * MIB + 1));
    expect(await resultOf(tooLarge)).toEqual(unreachable('answer-too-large', 'unknown', '4194304 bytes'));
  });

  test('an answer of 4 MiB is read', async () => {
    const { client } = await scriptedApi((response) => void response.end(`[]${' '.repeat(4 * MIB - 2)}`));
    expect(await client.votes()).toMatchObject({ kind: 'ok', value: { votes: [], unread: [] } });
  });
});

describe('an answer that is not from the API', () => {
  test.each([
    ['a proxy’s page', html(502), '502'],
    ['a page with status 200', html(200), '200'],
    ['an empty answer', (response) => void response.writeHead(204).end(), '204'],
    ['another success status', json(201, []), '201'],
    ['a proxy’s JSON', json(503, { error: 'no upstream' }), '503'],
    ['an unknown code', json(400, failure(400, 'TEAPOT')), '400'],
    ['a code with another status', json(404, failure(401, 'INVALID_TOKEN')), '404'],
    ['bytes that are not UTF-8', (response) => void response.end(Buffer.from('["\xff"]', 'latin1')), '200'],
    [
      'a body that is not in the stated encoding',
      (response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('[]'),
      'Z_DATA_ERROR',
    ],
  ] satisfies [string, Script, string][])('is not-the-api: %s', async (_what, script, detail) => {
    expect(await resultOf(script)).toEqual(unreachable('not-the-api', 'unknown', detail));
  });

  test('is not-the-api if it is another protocol', async () => {
    const { port } = await scriptedListener((socket) => {
      socket.once('data', () => socket.end('VOTIFIER 2 c0ffee\n'));
    });
    const { client } = clientOf(`http://127.0.0.1:${port}/api/v1`);
    expect(await report(client)).toEqual(unreachable('not-the-api', 'unknown', 'HPE_INVALID_CONSTANT'));
  });
});

test('an HTTP parser error without a code is not-the-api', () => {
  const cause = Object.assign(new Error('Response does not match'), {
    name: 'HTTPParserError',
    code: undefined,
  });
  const fault = { code: 'not-the-api', detail: 'HPE_OTHER' };
  expect(networkFault(new TypeError('fetch failed', { cause }))).toEqual(fault);
});

test('every code of the table is tested above', () => {
  expect([...seen].sort()).toEqual(Object.keys(faults).sort());
});
