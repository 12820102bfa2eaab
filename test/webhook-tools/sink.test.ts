import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { service } from '../kit/service.ts';
import { connectRaw } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import { ALARMS_DATA, EVENT_DATA, eventBody, TELLER_EVENTS, TEST_BODY } from './event-bodies.ts';
import { AnnouncingClock, DELIVERY_ID, headersOf, payload, post, SECRET, signature } from './started-sink.ts';

const BODY = payload();
const NOW = '2026-06-01T12:00:01.000Z';
const REWARDED = eventBody('vote.rewarded', EVENT_DATA['vote.rewarded']);

/** `teller webhook sink --json` with these flags, and what it has printed of each request. */
async function sinking(flags: readonly string[] = [], clock = new FakeClock(NOW)) {
  const running = await service(['webhook', 'sink', '--json', ...flags], { clock });
  const { url } = running.ready.sink;
  const rows = async (count: number) =>
    (await running.printed(count + 1)).slice(1).map((line) => JSON.parse(line));
  return { ...running, sink: { ...running.ready.sink, port: Number(new URL(url).port) }, rows };
}

const CHECKED = ['--secret', SECRET];

test('[WH-7] only the exact signature of the received bytes is valid; without a secret none is checked', async () => {
  const { sink, rows } = await sinking(CHECKED);
  const cases: readonly (readonly [string | undefined, string, number])[] = [
    [signature(BODY), 'valid', 204],
    [signature(BODY, 'another'), 'wrong', 401],
    [signature(`${BODY} `), 'wrong', 401],
    [signature(BODY).toUpperCase(), 'wrong', 401],
    [signature(BODY).slice('sha256='.length), 'wrong', 401],
    ['', 'wrong', 401],
    [undefined, 'missing', 401],
  ];
  for (const [signed, , status] of cases) expect((await post(sink, BODY, signed)).status).toBe(status);
  const seen = (await rows(cases.length)).map((row) => [row.signature, row.answered]);
  expect(seen).toEqual(cases.map(([, state, status]) => [state, status]));
  const spaced = JSON.stringify(JSON.parse(BODY), null, 2);
  expect((await post(sink, spaced, signature(spaced))).status).toBe(204);
  const unchecked = await sinking();
  expect((await post(unchecked.sink, BODY, signature(BODY, 'another'))).status).toBe(204);
  expect(await unchecked.rows(1)).toMatchObject([{ signature: 'not-checked' }]);
});

test('[WH-5] a repeated event is recognized by its event ID, and not caused by a forged one; [WH-3] a test never is one', async () => {
  const { sink, rows } = await sinking(CHECKED);
  const isTest = payload({ eventId: 'test', test: true });
  const bodies = [payload({ eventId: 'another' }), BODY, BODY, isTest, isTest, REWARDED, REWARDED];
  for (const signed of [signature(BODY, 'a guess'), undefined]) await post(sink, BODY, signed);
  for (const body of bodies) await post(sink, body, signature(body));
  expect((await rows(9)).map(({ again }) => again)).toEqual([
    ...[false, false, false, false, true, false, false, false, true],
  ]);
});

test('the configured statuses are used in turn by votes and events, and not used up by other requests', async () => {
  const { sink } = await sinking(['--answer', '500,200,503']);
  expect((await post(sink, '{')).status).toBe(400);
  expect((await post(sink, REWARDED)).status).toBe(500);
  expect((await post(sink, BODY)).status).toBe(200);
  expect(await post(sink, TEST_BODY)).toEqual({ status: 503, text: expect.stringContaining(': test;') });
});

test('the answer says who voted for whom, whether the signature is valid, a repeat and a configured status, in one line', async () => {
  const { sink } = await sinking([...CHECKED, '--answer', '200,200,503,200']);
  const texts = [];
  for (const signed of [signature(BODY), signature(BODY, 'x'), undefined, signature(BODY)])
    texts.push((await post(sink, BODY, signed)).text);
  expect(new Set(texts).size).toBe(4);
  expect(texts).toEqual([
    naming('8035…', 'Steve'),
    naming('signature', 'wrong'),
    naming('signature', 'missing'),
    naming('8035…', 'Steve', 'eventId'),
  ]);
  const broken = await sinking([...CHECKED, '--answer', '503']);
  expect((await post(broken.sink, BODY, signature(BODY))).text).toEqual(naming('8035…', 'Steve', '503'));
  const plain = await sinking(['--answer', '200']);
  const { data } = JSON.parse(BODY);
  const body = payload({ data: { ...data, playerName: 'St\u001b[2J\neve' } });
  expect((await post(plain.sink, body)).text).toEqual(naming('8035…', 'St?[2J / eve'));
});

test('a header that is missing or invalid is null, and so are the game and player of a bot listing’s vote', async () => {
  const { sink, rows } = await sinking();
  const { data } = JSON.parse(BODY);
  const { game: _game, playerName: _player, ...bot } = data;
  const headers = { ...headersOf(), 'X-Service-Attempt': '0x1' };
  await fetch(sink.url, { method: 'POST', headers, body: BODY });
  await fetch(sink.url, { method: 'POST', body: payload({ data: { ...bot, listingType: 'bot' } }) });
  expect(await rows(2)).toMatchObject([
    { attempt: null, deliveryId: DELIVERY_ID },
    { attempt: null, deliveryId: null, game: null, playerName: null },
  ]);
});

test('a delay postpones the answer; a sender that disconnects first is not answered', async () => {
  const clock = new AnnouncingClock();
  const { sink, rows } = await sinking(['--delay', '9s'], clock);
  const answer = post(sink, BODY);
  await clock.isSet(9_000);
  clock.advance(9_000);
  expect((await answer).status).toBe(204);
  expect(await rows(1)).toMatchObject([{ answered: 204, afterMs: 9_000 }]);
  const later = new AnnouncingClock(NOW);
  const other = await sinking(['--delay', '11s'], later);
  const timeout = new AbortController();
  const aborted = fetch(other.sink.url, { method: 'POST', body: BODY, signal: timeout.signal });
  await later.isSet(11_000);
  later.advance(10_000);
  timeout.abort();
  await expect(aborted).rejects.toThrow();
  expect(await other.rows(1)).toMatchObject([{ answered: null, afterMs: 10_000 }]);
});

test('each event that Teller posts is accepted and shown as it came, with fields of later versions', async () => {
  const { sink, rows } = await sinking(CHECKED);
  const bodies = TELLER_EVENTS.map(([event, data], index) =>
    eventBody(event, { ...data, laterField: 'kept' }, { alsoLater: 1, eventId: `e-${index}` }),
  );
  for (const body of bodies)
    expect(await post(sink, body, signature(body))).toEqual({ status: 204, text: '' });
  expect(await rows(bodies.length)).toEqual(
    bodies.map((body, index) => ({
      ...{ kind: 'event', receivedAt: NOW, eventId: `e-${index}`, deliveryId: DELIVERY_ID, attempt: 2 },
      ...{ test: false, payload: JSON.parse(body), signature: 'valid', again: false },
      ...{ answered: 204, afterMs: 0 },
    })),
  );
});

test('the test posts of events and of alarms are accepted', async () => {
  const { sink, rows } = await sinking(CHECKED);
  const to = { url: sink.url, secret: SECRET, format: 'json' };
  const teller = await here({ events: [{ ...to, on: ['party'] }], alarms: to });
  for (const command of ['events', 'alarms']) expect((await teller.run(command, 'test')).exit).toBe(0);
  expect(await rows(2)).toMatchObject([
    { payload: { event: 'test' }, test: true, signature: 'valid', again: false, attempt: 1 },
    { payload: { event: 'alarms.changed' }, test: true, signature: 'valid', again: false, attempt: 1 },
  ]);
});

test('a request that is not a delivery is answered, shown with its reason and the state of its signature, and not counted', async () => {
  const { sink, rows } = await sinking(CHECKED);
  const party = EVENT_DATA.party;
  const cases: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, string, number])[] = [
    ['truncated JSON', '{"event":', 'not-json', 400],
    ['an empty body', '', 'not-json', 400],
    ['bytes that are not UTF-8', Uint8Array.from([0xff, 0xfe, 0x00]), 'not-json', 400],
    ['deep nesting', '['.repeat(60_000), 'not-json', 400],
    ['JSON of another kind', '{"content":"Steve voted"}', 'not-a-vote', 400],
    ['null', 'null', 'not-a-vote', 400],
    ['another event', payload({ event: 'vote.deleted' }), 'not-a-vote', 400],
    ['another version', payload({ version: 2 }), 'not-a-vote', 400],
    ['an event of another version', eventBody('party', party, { version: 2 }), 'not-a-vote', 400],
    ['an event with the data of another', eventBody('party', EVENT_DATA.health), 'not-a-vote', 400],
    [
      'alarms without their lists',
      eventBody('alarms.changed', { ...ALARMS_DATA, began: undefined }),
      'not-a-vote',
      400,
    ],
    ['a test that does not say so', eventBody('test', { text: 'This is a test.' }), 'not-a-vote', 400],
    ['64 KiB and a byte', ' '.repeat(64 * 1024 + 1), 'too-large', 413],
    ['half a MiB', ' '.repeat(512 * 1024), 'too-large', 413],
  ];
  for (const [what, body, , status] of cases) expect((await post(sink, body)).status, what).toBe(status);
  expect(await rows(cases.length)).toMatchObject(
    cases.map(([, , reason, answered]) => ({ kind: 'no-delivery', reason, answered })),
  );
  await post(sink, '{', signature('{'));
  const last = (await rows(cases.length + 1)).at(-1);
  expect(last).toMatchObject({ reason: 'not-json', signature: 'valid' });
  const full = BODY.padEnd(64 * 1024);
  expect((await post(sink, full, signature(full))).status).toBe(204);
});

test('another method, TLS and an endless body are answered', async () => {
  const { sink, rows } = await sinking();
  for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
    const response = await fetch(sink.url, { method });
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
  }
  expect(await rows(4)).toMatchObject(Array(4).fill({ reason: 'not-post', answered: 405 }));
  const port = Number(new URL(sink.url).port);
  expect(await connectRaw(port, Buffer.from('16030100', 'hex')).back).toContain('HTTP/1.1 400');
  const { socket, back } = connectRaw(
    port,
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
  await back;
  expect((await rows(6)).slice(4)).toMatchObject([
    { reason: 'not-http' },
    { reason: 'too-large', answered: 413 },
  ]);
});

test('it still serves after 300 malformed requests, and at most a hundred pipelined ones on one connection', async () => {
  const { sink } = await sinking(CHECKED);
  const port = Number(new URL(sink.url).port);
  const raw = (bytes: Buffer | string): Promise<string> => {
    const { socket, back } = connectRaw(port);
    socket.end(bytes);
    return back;
  };
  for (let round = 0; round < 6; round++)
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        if (n % 3 === 0) return raw(randomBytes(500));
        if (n % 3 === 1) return post(sink, '{"event":"vote.created"');
        return raw('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n');
      }),
    );
  expect((await post(sink, BODY, signature(BODY))).status).toBe(204);
  const request = `POST / HTTP/1.1\r\nHost: x\r\nX-Webhook-Signature: ${signature(BODY)}\r\nContent-Length: ${Buffer.byteLength(BODY)}\r\n\r\n${BODY}`;
  expect((await raw(request.repeat(150))).match(/HTTP\/1\.1 204/g)).toHaveLength(100);
});

const COMMANDS = ['--commands', ...CHECKED];
const commandBody = (id: string, more: object = {}): string =>
  JSON.stringify({ id, command: 'give Steve diamond', server: 'city', commandId: '7-0', ...more });

test('a command that ran does not run again, and one that did not does; a forged one is no repeat', async () => {
  const { sink, rows } = await sinking([...COMMANDS, '--answer', 'player-offline,delivered,refused']);
  const outcomes = [];
  const forged = commandBody('z');
  expect((await post(sink, forged, signature(forged, 'another'))).status).toBe(401);
  for (const [id, commandId] of [
    ['a', '7-0'],
    ['b', '7-0'],
    ['c', '7-0'],
    ['d', '7-1'],
  ] as const) {
    const body = commandBody(id, { commandId });
    outcomes.push(JSON.parse((await post(sink, body, signature(body))).text).outcome);
  }
  expect(outcomes).toEqual(['player-offline', 'delivered', 'delivered', 'refused']);
  expect((await rows(5)).map(({ signature: state, again }) => [state, again])).toEqual([
    ['wrong', false],
    ['valid', false],
    ['valid', false],
    ['valid', true],
    ['valid', false],
  ]);
});

test('the same request twice is a replay, and is refused with 409', async () => {
  const { sink, rows } = await sinking(COMMANDS);
  const body = commandBody('a');
  expect((await post(sink, body, signature(body))).status).toBe(204);
  expect((await post(sink, body, signature(body))).status).toBe(409);
  expect(await rows(2)).toMatchObject([{ replayed: false }, { replayed: true, answered: 409 }]);
});

test('a request that is no command is refused with its reason, and the question who is online without an answer too', async () => {
  const { sink, rows } = await sinking(COMMANDS);
  const cases = [
    ['not-json', '{'],
    ['not-a-command', '{"id":"a","server":"city"}'],
    ['not-a-command', '{"command":"say hi","server":"city"}'],
    ['not-a-command', '[]'],
    ['not-a-command', 'null'],
  ] as const;
  for (const [, body] of cases) expect((await post(sink, body, signature(body))).status).toBe(400);
  expect(await rows(cases.length)).toMatchObject(
    cases.map(([reason]) => ({ kind: 'no-command', reason, signature: 'valid' })),
  );
  const question = JSON.stringify({ id: 'b', ask: 'players', server: 'city' });
  expect((await post(sink, question, signature(question))).status).toBe(400);
  expect((await post(sink, question, undefined)).status).toBe(401);
});
