import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RESOLVES_INSIDE } from '../../src/listing/targets/checking-lookup.ts';
import { type DeliveryReason, reasonSentence } from '../../src/notify/webhook/reasons.ts';
import { type ReasonColumns, reasonOf } from '../../src/platform/sqlite/reason-columns.ts';
import { freePort, scriptedListener } from '../sender/scripted-listener.ts';
import { selfSigned } from '../support/certificate.ts';
import { resolver } from '../support/names.ts';
import { sink } from '../support/sink.ts';
import { turns, type WebhookFixture, webhookFixture } from '../support/webhook-fixture.ts';

const LIMIT_MS = 10_000;

/** The newest row of the log. */
const latest = async ({ deliveries, listing }: WebhookFixture) =>
  (await deliveries.log.page(listing.id, { limit: 1 })).rows[0]!;

function storedReason({ database }: WebhookFixture): DeliveryReason {
  const latestRow = database.prepare(
    'SELECT reason, facts FROM deliveries ORDER BY started_at DESC, id DESC LIMIT 1',
  );
  return reasonOf<DeliveryReason>(latestRow.get() as ReasonColumns)!;
}

/** A webhook whose receiver is a script on a bare socket. */
async function againstScript(script: (socket: Socket) => void, scheme = 'http') {
  const peer = await scriptedListener(script);
  const scene = await webhookFixture({ webhook: { url: `${scheme}://127.0.0.1:${peer.port}/` } });
  const vote = scene.vote();
  return { scene, vote, peer };
}

/** What the receiver has read; resolves when the request is complete. */
const requestCame = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      if (chunk.includes('"playerName"')) resolve();
    });
  });

describe('the 10-second deadline of an attempt', () => {
  test('DO-04, LM-07: without a response, an attempt fails after 10 s and is retried', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [() => {}];
    const vote = scene.vote();
    await scene.sink.request(1);
    scene.clock.advance(LIMIT_MS - 1);
    await turns(5);
    expect((await latest(scene)).status).toBe('sending');
    scene.clock.advance(1);
    await scene.ended(1);
    expect(await latest(scene)).toMatchObject({
      status: 'failed',
      httpStatus: null,
      durationMs: LIMIT_MS,
    });
    expect((await latest(scene)).error).toBe(
      reasonSentence({ code: 'timeout', facts: { phase: 'waiting' } }),
    );
    expect(scene.state(vote)).toBe('pending');
  });

  test('DO-04: a response after 9 s is a success', async () => {
    const scene = await webhookFixture();
    let answer: () => void = () => {};
    scene.sink.answers = [(response) => (answer = () => response.writeHead(200).end())];
    const vote = scene.vote();
    await scene.sink.request(1);
    scene.clock.advance(9_000);
    answer();
    await scene.quiet();
    expect(scene.state(vote)).toBe('delivered');
    expect((await latest(scene)).durationMs).toBe(9_000);
  });

  test('DO-05: is not extended by headers that arrive byte by byte', async () => {
    let drip: () => void = () => {};
    let request: Promise<void> = Promise.resolve();
    const { scene } = await againstScript((socket) => {
      request = requestCame(socket);
      const bytes = [...'HTTP/1.1 200 OK\r\nX-Slow: yes\r\n'];
      drip = () => socket.write(bytes.shift() ?? 'x');
    });
    while ((await scene.deliveries.log.page(scene.listing.id, { limit: 1 })).rows.length === 0)
      await turns(1);
    await request;
    for (let second = 0; second < 9; second++) {
      drip();
      await turns(3);
      scene.clock.advance(1_000);
    }
    expect((await latest(scene)).status).toBe('sending');
    scene.clock.advance(1_000);
    await scene.ended(1);
    expect(await latest(scene)).toMatchObject({ status: 'failed', durationMs: LIMIT_MS });
  });

  test('DO-05: is not extended by a slow body, even if its status is 200', async () => {
    const scene = await webhookFixture();
    let drip: () => void = () => {};
    scene.sink.answers = [
      (response) => {
        response.writeHead(200, { 'Content-Length': 100 });
        drip = () => response.write('x');
        drip();
      },
    ];
    const vote = scene.vote();
    await scene.sink.request(1);
    for (let second = 0; second < 10; second++) {
      await turns(5);
      drip();
      await turns(5);
      scene.clock.advance(1_000);
    }
    await scene.ended(1);
    expect((await latest(scene)).error).toBe(
      reasonSentence({ code: 'timeout', facts: { phase: 'answering' } }),
    );
    expect((await latest(scene)).httpStatus).toBeNull();
    expect(scene.state(vote)).toBe('pending');
  });

  test('DO-05: is not extended by an unanswered TLS handshake', async () => {
    let taken: () => void = () => {};
    const hello = new Promise<void>((resolve) => (taken = resolve));
    const { scene } = await againstScript((socket) => socket.on('data', () => taken()), 'https');
    await hello;
    scene.clock.advance(LIMIT_MS);
    await scene.ended(1);
    expect((await latest(scene)).error).toBe(
      reasonSentence({ code: 'timeout', facts: { phase: 'securing' } }),
    );
  });

  test('DO-05: is not extended by a DNS lookup that never returns', async () => {
    const scene = await webhookFixture({ webhook: { url: 'http://slow.example/' }, lookup: () => {} });
    scene.vote();
    while ((await scene.deliveries.log.page(scene.listing.id, { limit: 1 })).rows.length === 0)
      await turns(1);
    scene.clock.advance(LIMIT_MS);
    await scene.ended(1);
    expect((await latest(scene)).error).toBe(
      reasonSentence({ code: 'timeout', facts: { phase: 'connecting' } }),
    );
  });
});

describe('an interim response (1xx) is skipped', () => {
  test.each([
    ['DO-01: 100 Continue, then 204', ['100 Continue'], '204 No Content', 'delivered'],
    [
      'DO-01: 102 and 103, then 200',
      ['102 Processing', '103 Early Hints\r\nLink: </a>'],
      '200 OK',
      'delivered',
    ],
    ['DO-03: 100 Continue, then 503', ['100 Continue', '100 Continue'], '503 Busy', 'retrying'],
    ['DO-02: 100 Continue, then 404', ['100 Continue'], '404 Not Found', 'undelivered'],
    ['NS-26: 101, which ends the exchange', [], '101 Switching Protocols\r\nUpgrade: x', 'retrying'],
  ])('%s', async (_, early, final, eventState) => {
    const answer = [...early, `${final}\r\nConnection: close\r\nContent-Length: 0`];
    const { scene } = await againstScript((socket) =>
      socket.once('data', () => socket.end(answer.map((head) => `HTTP/1.1 ${head}\r\n\r\n`).join(''))),
    );
    await scene.ended(1);
    expect(await latest(scene)).toMatchObject({ eventState, httpStatus: Number(final.slice(0, 3)) });
  });
});

describe('DO-06, LG-02: a network error is retried, and is shown by its reason, without an HTTP status', () => {
  const retriedFor = async (scene: WebhookFixture, code: DeliveryReason['code'], detail?: string) => {
    await scene.ended(1);
    expect(await latest(scene)).toMatchObject({ status: 'failed', httpStatus: null });
    const stored = storedReason(scene);
    expect(stored).toMatchObject(detail === undefined ? { code } : { code, facts: { detail } });
    expect((await latest(scene)).error).toBe(reasonSentence(stored));
    expect((await latest(scene)).nextAttemptAt).toBe(scene.clock.now() + 10_000);
  };

  test('DO-06: a refused connection', async () => {
    const scene = await webhookFixture({ webhook: { url: `http://127.0.0.1:${await freePort()}/` } });
    scene.vote();
    await retriedFor(scene, 'port-refused');
  });

  test('DO-06: a connection that is reset before the response', async () => {
    const { scene } = await againstScript((socket) => socket.on('data', () => socket.resetAndDestroy()));
    await retriedFor(scene, 'connection-lost', 'ECONNRESET');
  });

  test('DO-06: a connection that is closed before the response', async () => {
    const { scene } = await againstScript((socket) => socket.on('data', () => socket.end()));
    await retriedFor(scene, 'connection-lost');
  });

  test('DO-06: a connection that is closed in the middle of the response', async () => {
    const { scene } = await againstScript((socket) =>
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx')),
    );
    await retriedFor(scene, 'connection-lost');
  });

  test('DO-06: a response that is not HTTP', async () => {
    const { scene } = await againstScript((socket) =>
      socket.on('data', () => socket.end('VOTIFIER 2 abc\n')),
    );
    await retriedFor(scene, 'not-http');
  });

  test('DO-06: a name that does not resolve', async () => {
    const scene = await webhookFixture({ webhook: { url: 'http://gone.example/' }, lookup: resolver({}) });
    scene.vote();
    await retriedFor(scene, 'host-unresolvable', 'ENOTFOUND');
  });

  test('DO-06: an untrusted TLS certificate', async () => {
    const server = createTlsServer(selfSigned(), (_request, response) => response.end()).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const scene = await webhookFixture({ webhook: { url: `https://127.0.0.1:${port}/` } });
    scene.vote();
    await retriedFor(scene, 'tls-failed', 'DEPTH_ZERO_SELF_SIGNED_CERT');
  });

  test('DO-06: an https request to a plain http port', async () => {
    const receiver = await sink();
    const scene = await webhookFixture({ webhook: { url: receiver.url.replace('http', 'https') } });
    scene.vote();
    await retriedFor(scene, 'tls-failed');
    expect(receiver.requests).toHaveLength(0);
  });
});

describe('forbidden targets', () => {
  test.each([301, 302, 303, 307, 308])(
    'DO-20, NS-26: a %d redirect is never followed, but is a failure that is retried',
    async (status) => {
      const inner = await sink(204);
      const scene = await webhookFixture();
      scene.sink.answers = [(response) => response.writeHead(status, { Location: inner.url }).end()];
      scene.vote();
      await scene.ended(1);
      expect(await latest(scene)).toMatchObject({ status: 'failed', httpStatus: status });
      expect(inner.requests).toHaveLength(0);
    },
  );

  test('DO-21: does not connect to a name that was rebound to a private address after it was saved', async () => {
    const names: Record<string, string[]> = { 'rebind.example': ['93.184.215.14'] };
    const receiver = await sink(204);
    const scene = await webhookFixture({
      webhook: { url: `http://rebind.example:${receiver.port}/` },
      lookup: resolver(names),
      allowTargets: [],
    });
    names['rebind.example'] = ['127.0.0.1'];
    const vote = scene.vote();
    await scene.ended(1);
    expect((await latest(scene)).error).toBe(
      reasonSentence({ code: 'address-not-allowed', facts: { detail: `rebind.example ${RESOLVES_INSIDE}` } }),
    );
    expect(receiver.requests).toHaveLength(0);
    expect(scene.state(vote)).toBe('pending');
  });

  test('DO-21: does not connect to a name that has a private address among its public ones', async () => {
    const receiver = await sink(204);
    const scene = await webhookFixture({
      webhook: { url: `http://mixed.example:${receiver.port}/` },
      lookup: resolver({ 'mixed.example': ['93.184.215.14', '127.0.0.1'] }),
      allowTargets: [],
    });
    scene.vote();
    await scene.ended(1);
    expect((await latest(scene)).error).toBe(
      reasonSentence({ code: 'address-not-allowed', facts: { detail: `mixed.example ${RESOLVES_INSIDE}` } }),
    );
    expect(receiver.requests).toHaveLength(0);
  });

  test.each(['http://127.0.0.1:PORT/', 'http://[::ffff:127.0.0.1]:PORT/', 'http://2130706433:PORT/'])(
    'DO-21: does not connect to the private address %s, even if it is in the database',
    async (written) => {
      const receiver = await sink(204);
      const url = written.replace('PORT', String(receiver.port));
      const scene = await webhookFixture({ webhook: { url }, allowTargets: [] });
      scene.vote();
      await scene.ended(1);
      expect(storedReason(scene).code).toBe('address-not-allowed');
      expect(receiver.requests).toHaveLength(0);
    },
  );

  test('DO-21: connects to the very address that was checked', async () => {
    const scene = await webhookFixture({
      webhook: null,
      lookup: resolver({ 'local.example': ['127.0.0.1'] }),
    });
    scene.save({ url: `http://local.example:${scene.sink.port}/in?a=b#c` });
    scene.vote();
    const { path, headers } = await scene.sink.request(1);
    expect([path, headers.host]).toEqual(['/in?a=b', `local.example:${scene.sink.port}`]);
  });
});

test('DO-01: an endless response is cut off, and the delivery succeeds', async () => {
  const scene = await webhookFixture();
  scene.sink.answers = [
    (response) => {
      response.writeHead(200);
      const flood = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
        if (!response.destroyed) response.once('drain', flood);
      };
      response.on('error', () => {});
      flood();
    },
  ];
  const vote = scene.vote();
  await scene.quiet();
  expect(scene.state(vote)).toBe('delivered');
  const { deliveryId } = await latest(scene);
  expect((await scene.deliveries.log.detail(scene.listing.id, deliveryId))?.response).toBe('x'.repeat(1024));
});
