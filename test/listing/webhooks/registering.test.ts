/** A webhook that a program registers, and test deliveries: POST /webhooks/test, and the button of the dashboard. */
import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { DAY, listing } from '../../kit/listing.ts';
import { hooked, reasonIn } from '../../kit/listing-webhook.ts';
import { receiver as sink } from '../../kit/receiver.ts';
import { naming } from '../../support/naming.ts';

const REGISTER = '/webhooks/register';
const TEST = '/webhooks/test';
const NOWHERE = 'http://127.0.0.1:1/hook';

/** A listing with a webhook that was saved with the form and signs, and functions that register and test. */
async function registering() {
  const scene = await hooked({ fields: { secret: 'own', ownSecret: 'kept' } });
  const token = await scene.site.token(scene.listed, 'webhooks:write');
  const { url } = scene.receiver;
  return {
    ...scene,
    url,
    register: (body: unknown) => scene.site.api.post(REGISTER, { token, body }),
    trial: (webhookUrl: unknown) => scene.site.api.post(TEST, { token, body: { webhookUrl } }),
    stored: async () => (await scene.owner.values(scene.webhook)).webhook,
  };
}

test('WR-01, NS-19, NS-20: creates the webhook with its defaults, answers what is stored, and the next vote is sent', async () => {
  const { site, owner, receiver } = await hooked();
  const bare = await owner.list();
  const token = await site.token(bare, 'webhooks:write');
  const { status, body } = await site.api.post(REGISTER, { token, body: { webhookUrl: receiver.url } });
  const updatedAt = '2026-06-01T12:00:00.000Z';
  expect([status, body]).toEqual([
    200,
    { webhookUrl: receiver.url, events: ['vote.created'], isActive: true, hasSecret: false, updatedAt },
  ]);
  expect((await owner.values(`${bare.dashboard}/webhook`)).webhook).toEqual({
    ...{ url: receiver.url, hasSecret: false, isActive: true, isPaused: false, updatedAt },
  });
  const { id } = await site.cast(bare);
  expect((await receiver.request(1)).json.eventId).toBe(id);
});

test('WR-02, WR-03, WR-04: replaces all settings of an existing webhook', async () => {
  const { register, stored, receiver, url, votes } = await registering();
  const other = `${url}/other`;
  expect((await register({ webhookUrl: other, secret: 'open sesame' })).body.hasSecret).toBe(true);
  expect(await stored()).toMatchObject({ url: other, hasSecret: true });
  expect((await register({ webhookUrl: other })).body.hasSecret).toBe(false);
  await votes(1);
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook/other']);
  expect(receiver.requests[0]!.headers).not.toHaveProperty('x-webhook-signature');
});

test('WR-05, NS-34, NS-37: accepts vote.created by name, unknown fields, and a secret of 256 characters', async () => {
  const { register, url } = await registering();
  const { body } = await register({ webhookUrl: url, events: ['vote.created'] });
  expect(body.events).toEqual(['vote.created']);
  expect((await register({ webhookUrl: url, retries: 7, secret: 'x'.repeat(256) })).status).toBe(200);
});

test('WR-05, WR-07, WR-08, WR-15, WT-06, NS-19, NS-37: a malformed request is refused, changes nothing and is not counted', async () => {
  const { register, trial, stored, receiver, url } = await registering();
  const before = await stored();
  const urls = [undefined, null, 5, [url]];
  const more = [
    ...[{ events: ['x'] }, { events: ['vote.created', 'x'] }, { events: 'vote.created' }, { events: null }],
    ...[{ events: [] }, { isActive: 'true' }, { isActive: 1 }, { secret: '' }, { secret: null }],
    ...[{ secret: 'a\nb' }, { secret: 'x'.repeat(257) }],
  ];
  for (const body of [
    ...urls.map((webhookUrl) => ({ webhookUrl })),
    ...more.map((fields) => ({ webhookUrl: `${url}/2`, ...fields })),
  ]) {
    const { status, code } = await register(body);
    expect([body, status, code]).toEqual([body, 400, 'VALIDATION_FAILED']);
  }
  for (const one of urls) expect([one, (await trial(one)).code]).toEqual([one, 'VALIDATION_FAILED']);
  expect([await stored(), receiver.requests]).toEqual([before, []]);
});

test('NS-18: a listing has 10 registrations and 5 tests a minute, counted separately; the button shares the limit of tests', async () => {
  const { site, register, trial, receiver, url, owner, webhook, test: pressTest } = await registering();
  for (let asked = 0; asked < 3; asked++) await register({ webhookUrl: 'foo' });
  for (let asked = 0; asked < 10; asked++) expect((await register({ webhookUrl: url })).status).toBe(200);
  expect((await register({ webhookUrl: `${url}/2` })).code).toBe('RATE_LIMITED');
  for (let asked = 0; asked < 3; asked++) expect((await trial(url)).status).toBe(200);
  for (let asked = 0; asked < 2; asked++) expect((await pressTest()).tone).toBe('good');
  expect((await trial(url)).code).toBe('RATE_LIMITED');
  expect((await pressTest()).alerts[0]).toMatchObject({ tone: 'warn', title: naming('60 s') });
  expect(await owner.answer(`${webhook}/test`)).toMatchObject({
    ...{ code: 'too-many-tests', retryAfterSeconds: 60 },
  });
  expect(receiver.requests).toHaveLength(5);
  site.clock.advance(60_000);
  expect((await register({ webhookUrl: url })).status).toBe(200);
  await pressTest();
  expect(receiver.requests).toHaveLength(6);
});

describe('POST /webhooks/test', () => {
  test('WT-01, WT-02, WT-08, NS-21: sends one delivery to the URL, marked as a test, and keeps the registered webhook', async () => {
    const { trial, site, owner, webhook, listed, votes, receiver } = await registering();
    const other = await sink(204);
    const before = await owner.values(webhook);
    const { status, body } = await trial(other.url);
    expect([status, body]).toEqual([
      200,
      { deliveryId: expect.any(String), delivered: true, httpStatus: 204, durationMs: 0, error: null },
    ]);
    await site.pass(DAY);
    expect(other.requests).toHaveLength(1);
    expect(other.requests[0]).toMatchObject({
      json: { test: true, eventId: 'test', event: 'vote.created', data: { listingId: listed.id } },
      headers: {
        'x-service-event-id': 'test',
        'x-service-attempt': '1',
        'x-service-delivery': body.deliveryId,
      },
    });
    expect(await owner.values(webhook)).toEqual(before);
    await votes(1);
    expect([receiver.requests.length, other.requests.length]).toEqual([1, 1]);
  });

  test('WT-03, NS-22: has the headers, the signature and the fields of a real delivery', async () => {
    const { votes, trial, url, receiver } = await registering();
    await votes(1);
    await trial(url);
    const [real, tested] = receiver.requests;
    expect(Object.keys(tested!.headers)).toEqual(Object.keys(real!.headers));
    for (const name of ['content-type', 'user-agent', 'x-service-event', 'host'])
      expect([name, tested!.headers[name]]).toEqual([name, real!.headers[name]]);
    expect(tested!.headers).toHaveProperty('x-webhook-signature');
    expect(Object.keys(tested!.json)).toEqual(Object.keys(real!.json));
    expect(Object.keys(tested!.json.data)).toEqual(Object.keys(real!.json.data));
  });

  test('WT-03: connects only to the address that was checked, even if the name is rebound to a private one', async () => {
    let asked = 0;
    const lookup: LookupFunction = (_name, _options, done) =>
      done(null, [{ address: asked++ === 0 ? '203.0.114.10' : '10.0.0.5', family: 4 }]);
    const site = await listing({ allowTargets: [], lookup });
    const { token } = await site.owned('minecraft', 'webhooks:write');
    const { status, body } = await site.api.post(TEST, {
      ...{ token, body: { webhookUrl: 'http://turning.example/hook' } },
    });
    expect([status, body.delivered, body.httpStatus, asked]).toEqual([200, false, null, 2]);
    expect([reasonIn(body.error), body.error]).toEqual(['address-not-allowed', naming('turning.example')]);
  });

  test('WT-04, WT-05: answers 200 also for a 500, a 302, a refused connection and ten silent seconds', async () => {
    const { trial, receiver, site, url } = await registering();
    receiver.answers = [500, 302, () => {}];
    const results = [await trial(url), await trial(url), await trial(NOWHERE)];
    const stalled = trial(url);
    await receiver.request(3);
    site.clock.advance(10_000);
    results.push(await stalled);
    expect(
      results.map(({ status, body }) => [status, body.delivered, body.httpStatus, reasonIn(body.error)]),
    ).toEqual([
      [200, false, 500, null],
      [200, false, 302, null],
      [200, false, null, 'port-refused'],
      [200, false, null, 'timeout waiting'],
    ]);
    expect(results[3]!.body.durationMs).toBe(10_000);
  });

  test('WT-01, NS-23: is not retried if it fails, and works while the webhook is paused, disabled or missing', async () => {
    const { trial, votes, receiver, save, site, owner, url } = await registering();
    await votes(20, 404);
    await trial(url);
    await save({ active: [] });
    await trial(url);
    await site.pass(DAY);
    expect(receiver.requests.filter(({ json }) => json.test)).toHaveLength(2);
    const token = await owner.token(await owner.list('bot'), 'webhooks:write');
    expect((await site.api.post(TEST, { token, body: { webhookUrl: url } })).body.httpStatus).toBe(404);
    expect(receiver.requests.at(-1)!.json.data).not.toHaveProperty('game');
  });
});

describe('Send test event', () => {
  test('WF-02, WF-03: sends `test: true` with the event ID `test`, and shows the status of the answer', async () => {
    const { receiver, test: pressTest } = await hooked();
    const shown = await pressTest();
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]!.json).toMatchObject({
      ...{ test: true, eventId: 'test', event: 'vote.created', version: 1 },
    });
    expect(shown.alerts[0]).toMatchObject({ role: 'status', title: naming('204') });
    for (const status of [500, 404]) {
      receiver.answers = [status];
      expect((await pressTest()).alerts[0]).toMatchObject({ role: 'alert', title: naming(String(status)) });
    }
  });

  test('WF-03: shows the reason if there is no answer', async () => {
    const [alert] = (await (await hooked({ url: NOWHERE })).test()).alerts;
    expect([alert!.role, reasonIn(alert!.title)]).toEqual(['alert', 'port-refused']);
  });

  test('VS-09: changes no count of votes and no failure count', async () => {
    const { votes, site, listed, owner, receiver, test: pressTest, trial, health, url } = await registering();
    await votes(1);
    const token = await site.token(listed);
    const numbers = async () => [
      (await site.api.get('/webhooks/stats', { token })).body,
      (await site.api.get('/webhooks/votes', { token })).body,
      (await owner.values(listed.dashboard)).votes,
    ];
    const before = await numbers();
    expect(before[0].totalVotes).toBe(1);
    receiver.answers = [204, 204, 500];
    for (let time = 0; time < 2; time++) await pressTest();
    await trial(url);
    expect(receiver.requests.filter(({ json }) => json.test)).toHaveLength(3);
    expect([await numbers(), await health()]).toEqual([before, 'Healthy']);
  });
});
