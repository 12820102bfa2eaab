import { expect, test } from 'vitest';
import { Secret } from '../../src/config/config.ts';
import { postingOf, testMessage } from '../../src/notify/alarms/body.ts';
import { testPosting } from '../../src/notify/events/body.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { ALARMS_DATA, EVENT_DATA, eventBody, TELLER_EVENTS, TEST_BODY } from './event-bodies.ts';
import { DELIVERY_ID, payload, post, SECRET, signature, startedSink } from './started-sink.ts';

const REWARDED = eventBody('vote.rewarded', EVENT_DATA['vote.rewarded']);
const AT = Date.parse('2026-06-01T12:00:01Z');

test.each(TELLER_EVENTS)('answers a signed %s with 204 and reports it as it came', async (event, data) => {
  const sink = await startedSink({ secret: SECRET, clock: new FakeClock(AT) });
  const body = eventBody(event, { ...data, laterField: 'kept' }, { alsoLater: 1 });
  expect(await post(sink, body, signature(body))).toEqual({ status: 204, text: '' });
  await sink.reported(1);
  expect(sink.events).toEqual([
    {
      ...{ kind: 'event', receivedAt: AT, eventId: 'e-1', deliveryId: DELIVERY_ID, attempt: 2 },
      ...{ test: false, payload: JSON.parse(body), signature: 'valid', again: false },
      ...{ answered: 204, afterMs: 0 },
    },
  ]);
  expect([sink.deliveries, sink.others]).toEqual([[], []]);
});

test('accepts the test posts of events and of alarms, and reports none as a repeat', async () => {
  const sink = await startedSink({ secret: SECRET });
  const url = new URL(sink.url);
  const secret = new Secret(SECRET);
  const json = { format: 'json', form: 'json', secret, name: 'plugin' } as const;
  const forEvents = { ...json, id: 'a', at: 'events[0]', url, kinds: [] };
  const forAlarms = { ...json, url: new Secret(sink.url) };
  for (const { headers, body } of [
    testPosting(forEvents, AT, DELIVERY_ID),
    postingOf(testMessage(AT, null), forAlarms, { deliveryId: DELIVERY_ID, number: 1 }),
  ])
    expect((await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })).status).toBe(204);
  await sink.reported(2);
  expect(sink.events).toMatchObject([
    { payload: { event: 'test' }, test: true, signature: 'valid', again: false, attempt: 1 },
    { payload: { event: 'alarms.changed' }, test: true, signature: 'valid', again: false, attempt: 1 },
  ]);
});

test('[WH-5] a repeated event is recognized by its event ID, and not caused by a forged one', async () => {
  const sink = await startedSink({ secret: SECRET });
  expect((await post(sink, REWARDED, signature(REWARDED, 'a guess'))).status).toBe(401);
  expect((await post(sink, REWARDED)).status).toBe(401);
  for (const _ of [1, 2]) expect((await post(sink, REWARDED, signature(REWARDED))).status).toBe(204);
  const another = eventBody('vote.rewarded', EVENT_DATA['vote.rewarded'], { eventId: 'e-2' });
  await post(sink, another, signature(another));
  await sink.reported(5);
  expect(sink.events.map((event) => [event.signature, event.again])).toEqual([
    ['wrong', false],
    ['missing', false],
    ['valid', false],
    ['valid', true],
    ['valid', false],
  ]);
});

test('votes and events take the configured statuses in turn, and the answer names the event', async () => {
  const sink = await startedSink({ answers: [500, 200, 503] });
  expect((await post(sink, REWARDED)).status).toBe(500);
  expect((await post(sink, payload())).status).toBe(200);
  const { status, text } = await post(sink, TEST_BODY);
  expect({ status, text }).toEqual({ status: 503, text: expect.stringContaining(': test;') });
});

test.each([
  ['an unknown event', eventBody('vote.deleted', EVENT_DATA['vote.rewarded'])],
  ['an event of another version', eventBody('party', EVENT_DATA.party, { version: 2 })],
  ['an event with the data of another', eventBody('party', EVENT_DATA.health)],
  ['alarms without their lists', eventBody('alarms.changed', { ...ALARMS_DATA, began: undefined })],
  ['a test that does not say so', eventBody('test', { text: 'This is a test.' })],
])('%s is refused', async (_case, body) => {
  const sink = await startedSink({ secret: SECRET });
  expect((await post(sink, body, signature(body))).status).toBe(400);
  expect(sink.others).toMatchObject([{ reason: 'not-a-vote', signature: 'valid', answered: 400 }]);
  expect(sink.events).toEqual([]);
});
