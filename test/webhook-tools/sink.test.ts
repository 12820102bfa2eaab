import { describe, expect, test } from 'vitest';
import type { Facts } from '../../src/practice/webhook-tools/received.ts';
import { deliverySentence } from '../../src/practice/webhook-tools/sentence.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import { turns } from '../support/webhook-fixture.ts';
import {
  AnnouncingClock,
  DELIVERY_ID,
  EVENT_ID,
  headersOf,
  payload,
  post,
  SECRET,
  signature,
  startedSink,
} from './started-sink.ts';

const BODY = payload();

/** What the receiver reads from it. */
const FACTS: Facts = {
  ...{ eventId: EVENT_ID, deliveryId: DELIVERY_ID, attempt: 2, test: false, listingId: 'listing-1' },
  ...{ userId: '80351110224678912', game: 'minecraft', playerName: 'Steve' },
};

test('answers a signed delivery with 204 and reports all its fields', async () => {
  const sink = await startedSink({ secret: SECRET, clock: new FakeClock('2026-06-01T12:00:01Z') });
  expect(await post(sink, BODY, signature(BODY))).toEqual({ status: 204, text: '' });
  await sink.reported(1);
  expect(sink.deliveries).toEqual([
    {
      kind: 'delivery',
      receivedAt: Date.parse('2026-06-01T12:00:01Z'),
      eventId: EVENT_ID,
      deliveryId: DELIVERY_ID,
      attempt: 2,
      test: false,
      listingId: 'listing-1',
      userId: '80351110224678912',
      game: 'minecraft',
      playerName: 'Steve',
      signature: 'valid',
      again: false,
      answered: 204,
      afterMs: 0,
    },
  ]);
});

describe('the signature', () => {
  test.each([
    ['is valid', SECRET, signature(BODY), 'valid', 204],
    ['is of another secret', SECRET, signature(BODY, 'another'), 'wrong', 401],
    ['is of other bytes', SECRET, signature(`${BODY} `), 'wrong', 401],
    ['is in upper case', SECRET, signature(BODY).toUpperCase(), 'wrong', 401],
    ['has no prefix', SECRET, signature(BODY).slice('sha256='.length), 'wrong', 401],
    ['is empty', SECRET, '', 'wrong', 401],
    ['is missing', SECRET, undefined, 'missing', 401],
    ['is not checked without a secret', null, signature(BODY, 'another'), 'not-checked', 204],
  ])('[WH-7] %s', async (_case, secret, header, state, status) => {
    const sink = await startedSink({ secret });
    expect((await post(sink, BODY, header)).status).toBe(status);
    await sink.reported(1);
    expect(sink.deliveries).toMatchObject([{ signature: state, answered: status }]);
  });

  test('[WH-7] is checked over the received bytes, before the JSON is parsed', async () => {
    const sink = await startedSink({ secret: SECRET });
    const spaced = JSON.stringify(JSON.parse(BODY), null, 2);
    expect((await post(sink, spaced, signature(spaced))).status).toBe(204);
    expect((await post(sink, spaced, signature(BODY))).status).toBe(401);
  });
});

describe('a repeated event', () => {
  test('[WH-5] is recognized by its event ID, whatever the delivery ID and the attempt', async () => {
    const sink = await startedSink();
    const another = payload({ eventId: 'another' });
    for (const body of [BODY, another, BODY]) await post(sink, body);
    await sink.reported(3);
    expect(sink.deliveries.map(({ again }) => again)).toEqual([false, false, true]);
  });

  test('[WH-3] is never reported for a test, because all tests have the same event ID', async () => {
    const sink = await startedSink();
    const body = payload({ eventId: 'test', test: true });
    for (const _ of [1, 2]) await post(sink, body);
    await sink.reported(2);
    expect(sink.deliveries).toMatchObject([
      { test: true, again: false },
      { test: true, again: false },
    ]);
  });

  test('is not caused by an earlier forged delivery with its event ID', async () => {
    const sink = await startedSink({ secret: SECRET });
    await post(sink, BODY, signature(BODY, 'a guess'));
    await post(sink, BODY);
    await post(sink, BODY, signature(BODY));
    await sink.reported(3);
    expect(sink.deliveries[2]).toMatchObject({ signature: 'valid', again: false });
  });
});

describe('the answer', () => {
  test('uses the given statuses in turn, and repeats the last one', async () => {
    const sink = await startedSink({ answers: [500, 302, 200] });
    const statuses: number[] = [];
    for (const _ of [1, 2, 3, 4]) {
      const response = await fetch(sink.url, { method: 'POST', body: BODY, redirect: 'manual' });
      statuses.push(response.status);
    }
    expect(statuses).toEqual([500, 302, 200, 200]);
  });

  test('does not use up a status for a request that is not a delivery', async () => {
    const sink = await startedSink({ answers: [500, 200] });
    expect((await post(sink, '{')).status).toBe(400);
    expect((await post(sink, BODY)).status).toBe(500);
  });

  test.each([
    ['valid', 200, signature(BODY)],
    ['wrong', 401, signature(BODY, 'x')],
    ['missing', 401, undefined],
    ['wrong', 200, signature(BODY, 'x')],
    ['valid', 503, signature(BODY)],
  ] as const)('says that the signature is %s, for the status %d', async (state, status, header) => {
    const sink = await startedSink({ secret: SECRET, answers: [status] });
    expect((await post(sink, BODY, header)).text).toBe(deliverySentence(FACTS, state, false, status));
  });

  test('names the voter, the player and a configured status', () => {
    const said = (['valid', 'wrong', 'missing', 'not-checked'] as const).map((state) =>
      deliverySentence(FACTS, state, false, 200),
    );
    expect(new Set(said).size).toBe(4);
    expect(said[0]).toEqual(naming('8035…', 'Steve'));
    expect(deliverySentence(FACTS, 'valid', false, 503)).toEqual(naming('8035…', 'Steve', '503'));
    expect(deliverySentence(FACTS, 'valid', true, 200)).toEqual(naming('8035…', 'Steve', 'eventId'));
  });

  test('can be configured as 200 with a sentence instead of 204, and is still 401 for a forgery', async () => {
    const sink = await startedSink({ secret: SECRET, acceptedStatus: 200 });
    const body = payload({ eventId: 'test', test: true });
    expect(await post(sink, body, signature(body))).toEqual({
      status: 200,
      text: deliverySentence({ ...FACTS, test: true }, 'valid', false, 200),
    });
    await post(sink, BODY, signature(BODY));
    expect(await post(sink, BODY, signature(BODY))).toEqual({
      status: 200,
      text: deliverySentence(FACTS, 'valid', true, 200),
    });
    expect((await post(sink, BODY)).status).toBe(401);
  });

  test('is one line without control characters, even if the player name has some', async () => {
    const sink = await startedSink({ acceptedStatus: 200 });
    const { data } = JSON.parse(BODY);
    const body = payload({ data: { ...data, playerName: 'St\u001b[2J\neve' } });
    expect((await post(sink, body)).text).toEqual(naming('8035…', 'St?[2J / eve'));
  });
});

describe('a delay', () => {
  test('postpones the answer by that time', async () => {
    const clock = new AnnouncingClock();
    const sink = await startedSink({ delayMs: 9_000, clock });
    const answer = post(sink, BODY);
    await clock.isSet(9_000);
    clock.advance(8_999);
    await turns(5);
    expect(sink.deliveries).toEqual([]);
    clock.advance(1);
    expect((await answer).status).toBe(204);
    await sink.reported(1);
    expect(sink.deliveries).toMatchObject([{ answered: 204, afterMs: 9_000 }]);
  });

  test('is reported as not answered if the sender disconnects first, and nothing is sent later', async () => {
    const clock = new AnnouncingClock();
    const sink = await startedSink({ delayMs: 11_000, clock });
    const timeout = new AbortController();
    const answer = fetch(sink.url, { method: 'POST', body: BODY, signal: timeout.signal });
    await clock.isSet(11_000);
    clock.advance(10_000);
    timeout.abort();
    await expect(answer).rejects.toThrow();
    await sink.reported(1);
    expect(sink.deliveries).toMatchObject([{ answered: null, afterMs: 10_000 }]);
    clock.advance(60_000);
    expect(sink.deliveries).toHaveLength(1);
  });

  test('does not delay close: a waiting delivery is reported as not answered', async () => {
    const clock = new AnnouncingClock();
    const sink = await startedSink({ delayMs: 11_000, clock });
    const answer = post(sink, BODY);
    await clock.isSet(11_000);
    await sink.close();
    await expect(answer).rejects.toThrow();
    await sink.reported(1);
    expect(sink.deliveries).toMatchObject([{ answered: null }]);
  });
});

test('an invalid or missing header is reported as null', async () => {
  const sink = await startedSink();
  const headers = { ...headersOf(), 'X-Service-Attempt': '0x1' };
  await fetch(sink.url, { method: 'POST', headers, body: BODY });
  await fetch(sink.url, { method: 'POST', body: BODY });
  await sink.reported(2);
  expect(sink.deliveries).toMatchObject([
    { attempt: null, deliveryId: DELIVERY_ID },
    { attempt: null, deliveryId: null },
  ]);
});

test('a bot listing’s vote has neither game nor player', async () => {
  const sink = await startedSink();
  const { data } = JSON.parse(BODY);
  const { game: _game, playerName: _player, ...bot } = data;
  await post(sink, payload({ data: { ...bot, listingType: 'bot' } }));
  await sink.reported(1);
  expect(sink.deliveries).toMatchObject([{ game: null, playerName: null }]);
});

test('a port that is in use fails with port-in-use', async () => {
  const { port } = await startedSink();
  await expect(startedSink({ port })).rejects.toMatchObject({ code: 'port-in-use' });
});
