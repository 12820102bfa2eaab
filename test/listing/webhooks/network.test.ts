/** What the network does to a delivery: time limits, broken connections, interim answers, forbidden targets. */
import { createServer } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { scriptedListener } from '../../kit/listener.ts';
import { turns } from '../../kit/listing.ts';
import { type Hooked, hooked, reasonIn } from '../../kit/listing-webhook.ts';
import { receiver as sink } from '../../kit/receiver.ts';
import { serve } from '../../kit/serve.ts';
import { naming } from '../../support/naming.ts';
import { resolver, selfSigned } from '../../support/network.ts';

/** The newest attempt: with the code of its reason beside the sentence. */
const latest = async ({ attempts }: Hooked) => {
  const [attempt] = await attempts();
  return { ...attempt, reason: reasonIn(attempt.error) };
};

/** A webhook whose receiver is a script on a bare socket. */
async function scripted(script: (socket: Socket) => void, scheme = 'http') {
  const { port } = await scriptedListener(script);
  return hooked({ url: `${scheme}://127.0.0.1:${port}/` });
}

test('DO-04, LM-07: the 10-second deadline of an attempt: an answer after 9 s is a success; without one, an attempt fails after 10 s and is retried', async () => {
  const scene = await hooked();
  const response = await scene.held();
  scene.site.clock.advance(9_000);
  response.writeHead(200).end();
  await scene.site.quiet();
  expect(await latest(scene)).toMatchObject({ status: 'delivered', durationMs: 9_000 });
  await scene.held();
  scene.site.clock.advance(9_999);
  await turns(5);
  expect((await latest(scene)).status).toBe('sending');
  await scene.site.pass(1);
  const waited = { status: 'failed', httpStatus: null, durationMs: 10_000, reason: 'timeout waiting' };
  expect(await latest(scene)).toMatchObject(waited);
  expect(await scene.states()).toEqual(['retrying', 'delivered']);
});

test('DO-05: the 10-second deadline of an attempt is not extended by headers that arrive byte by byte', async () => {
  let isAsked = false;
  let drip: () => void = () => {};
  const scene = await scripted((socket) => {
    socket.on('data', (chunk: Buffer) => {
      isAsked ||= chunk.includes('"playerName"');
    });
    const bytes = [...'HTTP/1.1 200 OK\r\nX-Slow: yes\r\n'];
    drip = () => socket.write(bytes.shift() ?? 'x');
  });
  await scene.site.cast(scene.listed);
  while (!isAsked) await turns(1);
  for (let second = 0; second < 9; second++) {
    drip();
    await turns(3);
    scene.site.clock.advance(1_000);
  }
  expect((await latest(scene)).status).toBe('sending');
  await scene.site.pass(1_000);
  expect(await latest(scene)).toMatchObject({ status: 'failed', durationMs: 10_000 });
});

test('DO-05: the 10-second deadline of an attempt is not extended by a slow body, even if its status is 200', async () => {
  const scene = await hooked();
  const response = await scene.held();
  response.writeHead(200, { 'Content-Length': 100 });
  for (let second = 0; second < 10; second++) {
    response.write('x');
    await turns(5);
    scene.site.clock.advance(1_000);
  }
  await scene.site.quiet();
  expect(await latest(scene)).toMatchObject({ httpStatus: null, reason: 'timeout answering' });
  expect(await scene.states()).toEqual(['retrying']);
});

test('DO-05: the 10-second deadline of an attempt is not extended by an unanswered TLS handshake', async () => {
  const sockets: Socket[] = [];
  const scene = await scripted((socket) => void sockets.push(socket.resume()), 'https');
  await scene.site.cast(scene.listed);
  while (!sockets[0]?.bytesRead) await turns(1);
  await scene.site.pass(10_000);
  expect((await latest(scene)).reason).toBe('timeout securing');
});

test('DO-05: the 10-second deadline of an attempt is not extended by a DNS lookup that never returns', async () => {
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
  expect((await latest(scene)).reason).toBe('timeout connecting');
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

const onData = (then: (socket: Socket) => void) => () =>
  scripted((socket) => socket.on('data', () => then(socket)));

const CUT_OFF = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx';
const nowhere = () => hooked({ url: 'http://127.0.0.1:1/' });
const unresolvable = () => hooked({ url: 'http://gone.example/', lookup: resolver({}) });
const plain = async () => hooked({ url: (await sink()).url.replace('http', 'https') });
const untrusted = async () => {
  const port = await serve(createServer(selfSigned(), (_request, response) => response.end()));
  return hooked({ url: `https://127.0.0.1:${port}/` });
};

test.each<[string, string, string, () => Promise<Hooked>]>([
  ['that is reset', 'connection-lost', 'ECONNRESET', onData((socket) => socket.resetAndDestroy())],
  ['that is closed before the answer', 'connection-lost', '', onData((socket) => socket.end())],
  ['that is closed during the answer', 'connection-lost', '', onData((socket) => socket.end(CUT_OFF))],
  ['to something else than HTTP', 'not-http', '', onData((socket) => socket.end('VOTIFIER 2 abc\n'))],
  ['that is refused', 'port-refused', '', nowhere],
  ['to a name that does not resolve', 'host-unresolvable', 'ENOTFOUND', unresolvable],
  ['with an untrusted certificate', 'tls-failed', 'DEPTH_ZERO_SELF_SIGNED_CERT', untrusted],
  ['by https to a plain http port', 'tls-failed', '', plain],
])(
  'DO-06, LG-02: a connection %s is retried, and shown with the reason %s and without an HTTP status',
  async (_, reason, detail, start) => {
    const scene = await start();
    await scene.vote();
    expect(await latest(scene)).toMatchObject({ status: 'failed', httpStatus: null, reason });
    expect((await latest(scene)).error).toContain(detail);
    const [row] = (await scene.owner.open(scene.deliveries)).rows;
    expect([row, reasonIn(row!.detail!)]).toMatchObject([{ State: 'Retrying', HTTP: 'none' }, reason]);
    expect(await scene.events()).toMatchObject([
      { state: 'retrying', nextAttemptAt: '2026-06-01T12:00:10.000Z' },
    ]);
  },
);

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

test('DO-21: a name that resolves to another address after it was saved, and an address that may no longer be called, are not connected to', async () => {
  for (const [name, addresses] of [
    ['rebind.example', ['127.0.0.1']],
    ['mixed.example', ['93.184.215.14', '127.0.0.1']],
    ['six.example', ['::1']],
  ] as const) {
    const receiver = await sink(204);
    const names: Record<string, readonly string[]> = { [name]: ['93.184.215.14'] };
    const url = `http://${name}:${receiver.port}/`;
    const scene = await hooked({ allowTargets: [], lookup: resolver(names), url });
    names[name] = addresses;
    await scene.vote();
    expect(await latest(scene)).toMatchObject({ reason: 'address-not-allowed', error: naming(name) });
    const [row] = (await scene.owner.open(scene.deliveries)).rows;
    expect([row, receiver.requests]).toMatchObject([{ State: 'Retrying', HTTP: 'none' }, []]);
  }
  const open: string[] = ['127.0.0.0/8'];
  const scene = await hooked({ allowTargets: open });
  open.length = 0;
  await scene.site.restart();
  await scene.vote();
  expect((await latest(scene)).error).toContain('127.0.0.1');
  expect(scene.receiver.requests).toHaveLength(0);
});

test('DO-21: a name is connected to at the address that was checked', async () => {
  const { port, requests } = await sink(204);
  const lookup = resolver({ 'local.example': ['127.0.0.1'] });
  await (await hooked({ url: `http://local.example:${port}/in?a=b#c`, lookup })).vote();
  expect(requests[0]).toMatchObject({ path: '/in?a=b', headers: { host: `local.example:${port}` } });
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
  const attempts = await scene.attempts();
  expect(attempts.map(({ status }) => status)).toEqual(['delivered', ...Array(15).fill('interrupted')]);
  expect([reasonIn(attempts[1].error), attempts[1].error]).toEqual(['out-of-sockets', naming('EMFILE')]);
  const { health } = await scene.owner.values(scene.webhook);
  expect(health).toMatchObject({ label: 'Healthy', failures: 0 });
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
