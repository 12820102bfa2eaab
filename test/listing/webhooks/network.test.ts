/** What the network does to a delivery: time limits, broken connections, interim answers, forbidden targets. */
import { createServer } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { RESOLVES_INSIDE } from '../../../src/listing/targets/checking-lookup.ts';
import { type DeliveryReason, reasonSentence } from '../../../src/notify/webhook/reasons.ts';
import { turns } from '../../kit/listing.ts';
import { type Hooked, type HookedWanted, hooked } from '../../kit/listing-webhook.ts';
import { serve } from '../../kit/serve.ts';
import { scriptedListener } from '../../sender/scripted-listener.ts';
import { selfSigned } from '../../support/certificate.ts';
import { resolver } from '../../support/names.ts';
import { sink } from '../../support/sink.ts';

type Code = DeliveryReason['code'];

const latest = async ({ attempts }: Hooked) => (await attempts())[0];
const timeout = (phase: 'connecting' | 'securing' | 'waiting' | 'answering') =>
  reasonSentence({ code: 'timeout', facts: { phase } });
const notAllowed = (detail: string) => reasonSentence({ code: 'address-not-allowed', facts: { detail } });

/** A webhook whose receiver is a script on a bare socket. */
async function scripted(script: (socket: Socket) => void, scheme = 'http') {
  const { port } = await scriptedListener(script);
  return hooked({ url: `${scheme}://127.0.0.1:${port}/` });
}

/** Resolves when the receiver has read a whole request. */
const requestCame = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      if (chunk.includes('"playerName"')) resolve();
    });
  });

describe('the 10-second deadline of an attempt', () => {
  test('DO-04, LM-07: without an answer, an attempt fails after 10 s and is retried', async () => {
    const scene = await hooked();
    await scene.held();
    scene.site.clock.advance(9_999);
    await turns(5);
    expect((await latest(scene)).status).toBe('sending');
    await scene.site.pass(1);
    expect(await latest(scene)).toMatchObject({
      ...{ status: 'failed', httpStatus: null, durationMs: 10_000, error: timeout('waiting') },
    });
    expect(await scene.states()).toEqual(['retrying']);
  });

  test('DO-04: an answer after 9 s is a success', async () => {
    const scene = await hooked();
    const response = await scene.held();
    scene.site.clock.advance(9_000);
    response.writeHead(200).end();
    await scene.site.quiet();
    expect(await latest(scene)).toMatchObject({ status: 'delivered', durationMs: 9_000 });
  });

  test('DO-05: is not extended by headers that arrive byte by byte', async () => {
    let drip: () => void = () => {};
    let came = (): void => {};
    const request = new Promise<void>((resolve) => (came = resolve));
    const scene = await scripted((socket) => {
      void requestCame(socket).then(came);
      const bytes = [...'HTTP/1.1 200 OK\r\nX-Slow: yes\r\n'];
      drip = () => socket.write(bytes.shift() ?? 'x');
    });
    await scene.site.cast(scene.listed);
    await request;
    for (let second = 0; second < 9; second++) {
      drip();
      await turns(3);
      scene.site.clock.advance(1_000);
    }
    expect((await latest(scene)).status).toBe('sending');
    await scene.site.pass(1_000);
    expect(await latest(scene)).toMatchObject({ status: 'failed', durationMs: 10_000 });
  });

  test('DO-05: is not extended by a slow body, even if its status is 200', async () => {
    const scene = await hooked();
    const response = await scene.held();
    response.writeHead(200, { 'Content-Length': 100 });
    for (let second = 0; second < 10; second++) {
      response.write('x');
      await turns(5);
      scene.site.clock.advance(1_000);
    }
    await scene.site.quiet();
    expect(await latest(scene)).toMatchObject({ httpStatus: null, error: timeout('answering') });
    expect(await scene.states()).toEqual(['retrying']);
  });

  test('DO-05: is not extended by an unanswered TLS handshake', async () => {
    let came = (): void => {};
    const hello = new Promise<void>((resolve) => (came = resolve));
    const scene = await scripted((socket) => socket.on('data', () => came()), 'https');
    await scene.site.cast(scene.listed);
    await hello;
    await scene.site.pass(10_000);
    expect((await latest(scene)).error).toBe(timeout('securing'));
  });

  test('DO-05: is not extended by a DNS lookup that never returns', async () => {
    let isSlow = false;
    const known = resolver({ 'slow.example': ['127.0.0.1'] });
    const scene = await hooked({
      url: 'http://slow.example/',
      lookup: (...asked) => (isSlow ? undefined : known(...asked)),
    });
    isSlow = true;
    await scene.site.cast(scene.listed);
    await expect.poll(() => scene.attempts()).toHaveLength(1);
    await scene.site.pass(10_000);
    expect((await latest(scene)).error).toBe(timeout('connecting'));
  });
});

test.each([
  ['DO-01', ['100 Continue'], '204 No Content', 'delivered'],
  ['DO-01', ['102 Processing', '103 Early Hints\r\nLink: </a>'], '200 OK', 'delivered'],
  ['DO-03', ['100 Continue', '100 Continue'], '503 Busy', 'retrying'],
  ['DO-02', ['100 Continue'], '404 Not Found', 'undelivered'],
  // It ends the exchange.
  ['NS-26', [], '101 Switching Protocols\r\nUpgrade: x', 'retrying'],
])('%s: the interim answers %j are skipped; after %j the event is %s', async (_, early, final, state) => {
  const heads = [...early, `${final}\r\nConnection: close\r\nContent-Length: 0`];
  const scene = await scripted((socket) =>
    socket.once('data', () => socket.end(heads.map((head) => `HTTP/1.1 ${head}\r\n\r\n`).join(''))),
  );
  await scene.vote();
  expect(await latest(scene)).toMatchObject({ eventState: state, httpStatus: Number(final.slice(0, 3)) });
});

describe('DO-06, LG-02: a network error is retried, and is shown by its reason, without an HTTP status', () => {
  const failing = async (scene: Hooked, code: Code, detail = '') => {
    await scene.vote();
    const { status, httpStatus, error } = await latest(scene);
    const [before = ''] = reasonSentence({ code, facts: { detail: '|' } } as DeliveryReason).split('|');
    expect([status, httpStatus, error.slice(0, before.length)]).toEqual(['failed', null, before]);
    expect(error).toContain(detail);
    expect(await scene.events()).toMatchObject([
      { state: 'retrying', nextAttemptAt: '2026-06-01T12:00:10.000Z' },
    ]);
  };

  test.each<[string, Code, string, (socket: Socket) => void]>([
    ['is reset', 'connection-lost', 'ECONNRESET', (socket) => socket.resetAndDestroy()],
    ['is closed before the answer', 'connection-lost', '', (socket) => socket.end()],
    [
      'is closed in the middle of the answer',
      ...(['connection-lost', ''] as const),
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx'),
    ],
    ['answers something else than HTTP', 'not-http', '', (socket) => socket.end('VOTIFIER 2 abc\n')],
  ])('DO-06: a connection that %s: %s', async (_, code, detail, then) => {
    await failing(await scripted((socket) => socket.on('data', () => then(socket))), code, detail);
  });

  test('DO-06: a refused connection', async () => {
    await failing(await hooked({ url: 'http://127.0.0.1:1/' }), 'port-refused');
  });

  test('DO-06: a name that does not resolve', async () => {
    const scene = await hooked({ url: 'http://gone.example/', lookup: resolver({}) });
    await failing(scene, 'host-unresolvable', 'ENOTFOUND');
  });

  test('DO-06: an untrusted TLS certificate', async () => {
    const port = await serve(createServer(selfSigned(), (_request, response) => response.end()));
    const scene = await hooked({ url: `https://127.0.0.1:${port}/` });
    await failing(scene, 'tls-failed', 'DEPTH_ZERO_SELF_SIGNED_CERT');
  });

  test('DO-06: an https request to a plain http port', async () => {
    const receiver = await sink();
    await failing(await hooked({ url: receiver.url.replace('http', 'https') }), 'tls-failed');
    expect(receiver.requests).toHaveLength(0);
  });
});

describe('forbidden targets', () => {
  test('DO-20, NS-26: a redirect is never followed, but is a failure that is retried', async () => {
    const inner = await sink(204);
    const scene = await hooked();
    for (const status of [301, 302, 303, 307, 308]) {
      await scene.votes(1, (response) => response.writeHead(status, { Location: inner.url }).end());
      expect((await scene.events())[0]).toMatchObject({
        state: 'retrying',
        lastAttempt: { status: 'failed', httpStatus: status },
      });
      await scene.save({ active: [] });
      await scene.save({ active: ['on'] });
      scene.site.clock.advance(1);
    }
    expect(inner.requests).toHaveLength(0);
  });

  /** A webhook whose name had other addresses when it was saved. */
  async function rebound(name: string, addresses: readonly string[]) {
    const receiver = await sink(204);
    const names: Record<string, readonly string[]> = { [name]: ['93.184.215.14'] };
    const wanted: HookedWanted = { allowTargets: [], lookup: resolver(names) };
    const scene = await hooked({ ...wanted, url: `http://${name}:${receiver.port}/` });
    names[name] = addresses;
    await scene.vote();
    expect(receiver.requests).toHaveLength(0);
    return scene;
  }

  test.each([
    ['rebind.example', ['127.0.0.1']],
    ['mixed.example', ['93.184.215.14', '127.0.0.1']],
    ['six.example', ['::1']],
  ])(
    'DO-21: %s, which has the addresses %j after it was saved, is not connected to',
    async (name, addresses) => {
      const scene = await rebound(name, addresses);
      expect((await latest(scene)).error).toBe(notAllowed(`${name} ${RESOLVES_INSIDE}`));
      const [row] = (await scene.owner.open(scene.deliveries)).rows;
      expect(row).toMatchObject({ State: 'Retrying', HTTP: 'none' });
    },
  );

  test('DO-21: an address that may no longer be called is not connected to', async () => {
    const open: string[] = ['127.0.0.0/8'];
    const scene = await hooked({ allowTargets: open });
    open.length = 0;
    await scene.site.restart();
    await scene.vote();
    expect((await latest(scene)).error).toContain('127.0.0.1');
    expect(scene.receiver.requests).toHaveLength(0);
  });

  test('DO-21: a name is connected to at the address that was checked', async () => {
    const receiver = await sink(204);
    const lookup = resolver({ 'local.example': ['127.0.0.1'] });
    const scene = await hooked({ url: `http://local.example:${receiver.port}/in?a=b#c`, lookup });
    await scene.vote();
    const [{ path, headers }] = receiver.requests as [(typeof receiver.requests)[0]];
    expect([path, headers.host]).toEqual(['/in?a=b', `local.example:${receiver.port}`]);
  });
});

test('DO-12: an attempt for which the service has no socket left does not count, and is repeated', async () => {
  let left = 0;
  const receiver = await sink(204);
  const lookup: LookupFunction = (_name, _options, done) => {
    if (left-- > 0) done(Object.assign(new Error('no socket'), { code: 'EMFILE' }), []);
    else done(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const scene = await hooked({ url: `http://name.example:${receiver.port}/`, lookup });
  left = 15;
  await scene.site.cast(scene.listed);
  while (receiver.requests.length === 0) {
    await turns(5);
    scene.site.clock.advance(5_000);
  }
  await scene.site.quiet();
  const statuses = (await scene.attempts()).map(({ status }) => status);
  expect(statuses).toEqual(['delivered', ...Array(15).fill('interrupted')]);
  const { health } = await scene.owner.values(scene.webhook);
  expect(health).toMatchObject({ label: 'Healthy', failures: 0 });
  const reason = reasonSentence({ code: 'out-of-sockets', facts: { detail: 'EMFILE' } });
  expect((await scene.attempts())[1].error).toBe(reason);
});

test('DO-01: an endless answer is cut off, and the delivery succeeds', async () => {
  const scene = await hooked();
  await scene.votes(1, (response) => {
    response.writeHead(200);
    const flood = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
      if (!response.destroyed) response.once('drain', flood);
    };
    response.on('error', () => {});
    flood();
  });
  const { deliveryId, status } = await latest(scene);
  const { delivery } = await scene.owner.values(`${scene.deliveries}/${deliveryId}`);
  expect([status, delivery.response]).toEqual(['delivered', 'x'.repeat(1024)]);
});
