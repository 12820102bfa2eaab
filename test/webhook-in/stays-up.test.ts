import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { lockLedger } from '../kit/ledger-file.ts';
import { isListening } from '../kit/serve.ts';
import { connectRaw, hooked, payload, post, sendEndless, signature } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const VOTE = payload();
const HEAD = 'POST /hooks/list HTTP/1.1\r\nHost: localhost\r\n';
const whole = (body = VOTE): string =>
  `${HEAD}X-Webhook-Signature: ${signature(body)}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const WHOLE = whole();
const OK = /^HTTP\/1\.1 200 /;

async function receiving(): Promise<Here> {
  const config = {
    sites: { default: {}, 'List.example': hooked() },
    webhook: { host: '127.0.0.1', port: 0 },
  };
  return here(config, new FakeClock('2026-06-01T12:00:00Z'));
}

const votesIn = async ({ run }: Here): Promise<number> => (await run('votes', '--json')).json.length;
const logOf = ({ log }: Here) => log.filter(({ code }) => code.startsWith('webhook-'));
const codesOf = (teller: Here) => logOf(teller).map(({ code }) => code);

const says = ({ webhookPort }: Here, bytes: Buffer | string) => connectRaw(webhookPort, bytes).back;
/** A connection that is open, and on which these bytes have been read. */
async function connected({ webhookPort }: Here, bytes: Buffer | string = '', from?: string) {
  const client = connectRaw(webhookPort, bytes, from);
  if (client.socket.connecting) await once(client.socket, 'connect');
  await sleep(15);
  return client;
}

async function stillServes(teller: Here): Promise<void> {
  expect((await post(teller, VOTE)).status).toBe(200);
  expect(await votesIn(teller)).toBe(1);
}

test('a vote is still recorded after a thousand malformed requests and a hundred resets', async () => {
  const teller = await receiving();
  const reset = async () => {
    const { socket, back } = await connected(teller, `${HEAD}Content-Length: 100\r\n\r\n{"event"`);
    socket.resetAndDestroy();
    await back;
  };
  const malformed = (n: number): Promise<unknown> => {
    if (n % 5 === 0) return says(teller, Buffer.concat([Buffer.from('\x16\x03'), randomBytes(500)]));
    if (n % 5 === 1) return post(teller, '{"event":"vote.created"');
    if (n % 5 === 2) return post(teller, VOTE, { signed: `sha256=${randomBytes(32).toString('hex')}` });
    if (n % 5 === 3) return says(teller, `${HEAD}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`);
    return post(teller, randomBytes(200).toString('hex'), { path: `/${n}` });
  };
  for (let round = 0; round < 10; round++)
    await Promise.all([
      ...Array.from({ length: 100 }, (_, n) => malformed(n)),
      ...Array.from({ length: 10 }, reset),
    ]);
  expect(await votesIn(teller)).toBe(0);
  await stillServes(teller);
});

test('an unusable request is answered with the reason, and closed; an endless body is cut off', async () => {
  const teller = await receiving();
  const upgrade =
    'GET /hooks/list HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';
  for (const [what, bytes, status, code] of [
    ['TLS', Buffer.from('16030100', 'hex'), 400, '[not-http]\n'],
    ['headers beyond 16 KiB', `${HEAD}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431, '[headers-too-large]\n'],
    ['a bad length', `${HEAD}Content-Length: -1\r\n\r\n`, 400, '[not-http]\n'],
    ['two lengths', `${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400, ''],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, ''],
    ['no Host', 'POST /hooks/list HTTP/1.1\r\n\r\n', 400, ''],
    ['HTTP/1.0 without a host', 'OPTIONS / HTTP/1.0\r\n\r\n', 421, '[host-not-listed]\n'],
    ['an upgrade', upgrade, 405, '[not-post]\n'],
  ] as const) {
    const back = await says(teller, bytes);
    expect(back, what).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(back, what).toContain(code);
  }
  expect(await says(teller, 'CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n')).toBe('');
  await sendEndless(teller.webhookPort, HEAD);
  expect(codesOf(teller)).toContain('webhook-too-large');
  await stillServes(teller);
});

test('a delivery that is cut off or reset before it is whole gets no answer, because a 4xx would stop the sender from retrying, and is counted', async () => {
  const teller = await receiving();
  for (const bytes of ['', WHOLE]) {
    const client = await connected(teller, bytes);
    client.socket.resetAndDestroy();
    await sleep(15);
  }
  expect(codesOf(teller)).toEqual([]);
  (await connected(teller, WHOLE.slice(0, -10))).socket.resetAndDestroy();
  await teller.until(() => codesOf(teller).length > 0);
  for (const bytes of [
    WHOLE.slice(0, 40),
    WHOLE.slice(0, -10),
    `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nab`,
  ]) {
    const client = connectRaw(teller.webhookPort);
    client.socket.end(bytes);
    expect(await client.back).toBe('');
  }
  expect(logOf(teller)).toMatchObject([{ level: 'debug', code: 'webhook-incomplete' }]);
  await stillServes(teller);
});

test('a connection serves one delivery and is then closed, also if its body arrives byte by byte or an interim answer is expected; later bytes are not read', async () => {
  const teller = await receiving();
  const second = whole(payload({ eventId: 'second' }, { playerName: 'Alex' }));
  const back = await says(teller, WHOLE + second);
  expect(back.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(back).toContain('Connection: close');
  expect(await says(teller, `${WHOLE}\0rubbish`)).toMatch(OK);
  for (const expected of ['100-continue', '200-ok'])
    expect(await says(teller, WHOLE.replace(HEAD, `${HEAD}Expect: ${expected}\r\n`))).toMatch(
      /^(HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 200 /,
    );
  const head = `${HEAD}X-Webhook-Signature: ${signature(VOTE)}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const slow = connectRaw(teller.webhookPort, head);
  for (const byte of VOTE) slow.socket.write(`1\r\n${byte}\r\n`);
  slow.socket.write('0\r\n\r\n');
  expect(await slow.back).toMatch(OK);
  expect([await votesIn(teller), codesOf(teller)]).toEqual([1, []]);
});

test('a connection that has not sent a whole request in 10 s, however slowly it goes on, is closed without an answer, so the listing retries', async () => {
  const teller = await receiving();
  const clients = [];
  for (const bytes of ['', 'POST /hoo', `${HEAD}X: y\r\n`, `${HEAD}Content-Length: 100\r\n\r\n{"event"`])
    clients.push(await connected(teller, bytes));
  const slow = await connected(teller);
  for (const byte of 'POST /hoo') {
    slow.socket.write(byte);
    await teller.pass(1_000, 1_000);
  }
  teller.clock.advance(999);
  await sleep(15);
  expect([...clients, slow].map(({ isClosed }) => isClosed)).toEqual(Array(5).fill(false));
  teller.clock.advance(1);
  for (const { back } of [...clients, slow]) expect(await back).toBe('');
  expect(logOf(teller)[0]).toMatchObject({ level: 'debug', code: 'webhook-too-slow' });
  await stillServes(teller);
});

test('a vote that is being stored is not cut off, whatever its sender does, and is then answered', async () => {
  const teller = await receiving();
  const unlock = lockLedger(teller);
  const answered = post(teller, VOTE);
  const gone = await connected(teller, whole(payload({ eventId: 'b' }, { playerName: 'Alex' })));
  gone.socket.resetAndDestroy();
  await gone.back;
  await teller.pass(50_000, 5_000);
  unlock();
  expect((await answered).status).toBe(200);
  await teller.until(async () => (await votesIn(teller)) === 2);
});

test('an address with more than 128 connections loses its oldest silent one after a second; the others are served', async () => {
  const teller = await receiving();
  const unlock = lockLedger(teller);
  const storing = await connected(teller, WHOLE, '127.0.0.2');
  const elsewhere = await connected(teller, '', '127.0.0.9');
  const oldest = await connected(teller, '', '127.0.0.2');
  teller.clock.advance(1);
  const rest = Array.from({ length: 128 }, () => connectRaw(teller.webhookPort, '', '127.0.0.2'));
  await Promise.all(rest.map(({ socket }) => once(socket, 'connect')));
  await sleep(30);
  expect(oldest.isClosed).toBe(false);
  teller.clock.advance(1_250);
  expect(await oldest.back).toBe('');
  unlock();
  expect(await storing.back).toMatch(OK);
  const [first, last] = [rest[0], rest.at(-1)];
  for (const { socket, back } of [elsewhere, first, last].flatMap((client) => client ?? [])) {
    socket.write(WHOLE);
    expect(await back).toMatch(OK);
  }
  expect(logOf(teller)).toMatchObject([
    {
      ...{ level: 'warn', code: 'webhook-no-room', fields: { sender: '127.0.0.2' } },
      sentence: naming('127.0.0.2', 'to make room'),
    },
  ]);
});

test('stopping waits for requests in progress for a second, and for a vote that is being stored', async () => {
  const teller = await receiving();
  const unlock = lockLedger(teller);
  const storing = await connected(teller, whole(payload({ eventId: 'b' }, { playerName: 'Alex' })));
  const halting = await connected(teller, WHOLE.slice(0, 80));
  const late = await connected(teller, WHOLE.slice(0, 80));
  const { webhookPort } = teller;
  let isStopped = false;
  const stopped = teller.stop().then(() => (isStopped = true));
  while (await isListening(webhookPort)) await sleep(5);
  late.socket.write(WHOLE.slice(80));
  await teller.pass(999, 333);
  expect([halting.isClosed, isStopped]).toEqual([false, false]);
  await teller.pass(1, 1);
  expect(await halting.back).toBe('');
  expect(isStopped).toBe(false);
  unlock();
  for (const { back } of [storing, late]) expect(await back).toMatch(/^$|^HTTP\/1\.1 200 /);
  await teller.until(() => isStopped);
  await stopped;
  expect(await votesIn(teller)).toBe(2);
});
