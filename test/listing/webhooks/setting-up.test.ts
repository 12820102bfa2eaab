/** How a webhook is set up, by a program or with its form: its secret, forms of other sites, and test deliveries. */
import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { DAY, listing } from '../../kit/listing.ts';
import { hooked, reasonIn } from '../../kit/listing-webhook.ts';
import { type ReceiverRequest, receiver as sink } from '../../kit/receiver.ts';
import { signature } from '../../kit/webhook.ts';
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

test('WR-01, NS-19, NS-20 [API-10]: creates the webhook with its defaults, answers what is stored, and the next vote is sent', async () => {
  const { site, owner, receiver } = await hooked();
  const bare = await owner.list();
  const token = await site.token(bare, 'webhooks:write');
  const { status, body } = await site.api.post(REGISTER, { token, body: { webhookUrl: receiver.url } });
  const updatedAt = '2026-06-01T12:00:00.000Z';
  expect([status, body]).toEqual([
    200,
    { webhookUrl: receiver.url, events: ['vote.created'], isActive: true, hasSecret: false, updatedAt },
  ]);
  const stored = { url: receiver.url, hasSecret: false, isActive: true, isPaused: false, updatedAt };
  expect((await owner.values(`${bare.dashboard}/webhook`)).webhook).toEqual(stored);
  const { id } = await site.cast(bare);
  expect((await receiver.request(1)).json.eventId).toBe(id);
});

test('WR-02, WR-03, WR-04, WR-05, NS-34, NS-37: replaces all settings of an existing webhook; vote.created by name, unknown fields and a secret of 256 characters are accepted', async () => {
  const { register, stored, receiver, url, votes } = await registering();
  const other = `${url}/other`;
  expect((await register({ webhookUrl: other, secret: 'open sesame' })).body.hasSecret).toBe(true);
  expect(await stored()).toMatchObject({ url: other, hasSecret: true });
  expect((await register({ webhookUrl: url, retries: 7, secret: 'x'.repeat(256) })).status).toBe(200);
  const { body } = await register({ webhookUrl: other, events: ['vote.created'] });
  expect([body.events, body.hasSecret]).toEqual([['vote.created'], false]);
  await votes(1);
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook/other']);
  expect(receiver.requests[0]!.headers).not.toHaveProperty('x-webhook-signature');
});

test('WR-05, WR-07, WR-08, WR-15, WT-06, NS-19, NS-37 [API-10]: a malformed request is refused, changes nothing and is not counted', async () => {
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
  ])
    expect([body, (await register(body)).verdict]).toEqual([body, '400 VALIDATION_FAILED']);
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
  const limited = { code: 'too-many-tests', retryAfterSeconds: 60 };
  expect(await owner.answer(`${webhook}/test`)).toMatchObject(limited);
  expect(receiver.requests).toHaveLength(5);
  site.clock.advance(60_000);
  expect((await register({ webhookUrl: url })).status).toBe(200);
  await pressTest();
  expect(receiver.requests).toHaveLength(6);
});

test('WT-01, WT-02, WT-03, WT-08, NS-21, NS-22: POST /webhooks/test sends one delivery to the URL, marked as a test, with the headers, signature and fields of a real one, and keeps the registered webhook', async () => {
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
  const [tested] = other.requests;
  expect(tested).toMatchObject({
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
  const [real] = receiver.requests;
  expect(Object.keys(tested!.headers)).toEqual(Object.keys(real!.headers));
  for (const name of ['content-type', 'user-agent', 'x-service-event'])
    expect([name, tested!.headers[name]]).toEqual([name, real!.headers[name]]);
  expect(tested!.headers).toHaveProperty('x-webhook-signature');
  expect(Object.keys(tested!.json)).toEqual(Object.keys(real!.json));
  expect(Object.keys(tested!.json.data)).toEqual(Object.keys(real!.json.data));
});

test('WT-03: POST /webhooks/test connects only to the address that was checked, even if the name is rebound to a private one', async () => {
  let looked = 0;
  const lookup: LookupFunction = (_name, _options, done) =>
    done(null, [{ address: looked++ === 0 ? '203.0.114.10' : '10.0.0.5', family: 4 }]);
  const site = await listing({ allowTargets: [], lookup });
  const { token } = await site.owned('minecraft', 'webhooks:write');
  const asked = { token, body: { webhookUrl: 'http://turning.example/hook' } };
  const { status, body } = await site.api.post(TEST, asked);
  expect([status, body.delivered, body.httpStatus, looked]).toEqual([200, false, null, 2]);
  expect([reasonIn(body.error), body.error]).toEqual(['address-not-allowed', naming('turning.example')]);
});

test('WT-04, WT-05: POST /webhooks/test answers 200 also for a 500, a 302, a refused connection and ten silent seconds', async () => {
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

test('WT-01, NS-23: POST /webhooks/test is not retried if it fails, and works while the webhook is paused, disabled or missing', async () => {
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

test('NS-23, WF-02, WF-03: Send test event sends `test: true` with the event ID `test`, and shows the status of the answer, or the reason if there is none; in the log it is a row of its own, shown as a test', async () => {
  const scene = await hooked();
  const { receiver, save, test: pressTest } = scene;
  const shown = await pressTest();
  expect(receiver.requests).toHaveLength(1);
  expect(receiver.requests[0]!.json).toMatchObject({
    ...{ test: true, eventId: 'test', event: 'vote.created', version: 1 },
  });
  expect(shown.alerts[0]).toMatchObject({ role: 'status', title: naming('204') });
  expect((await scene.owner.open(scene.deliveries)).rows).toMatchObject([
    { Player: 'Test', State: 'Delivered', HTTP: '204', Redeliver: '' },
  ]);
  for (const status of [404, 500]) {
    scene.site.clock.advance(1);
    receiver.answers = [status];
    expect((await pressTest()).alerts[0]).toMatchObject({ role: 'alert', title: naming(String(status)) });
  }
  expect((await scene.events())[0]).toMatchObject({
    ...{ kind: 'test', state: 'failed', canRedeliver: false, nextAttemptAt: null },
  });
  expect((await scene.attempts())[0]).toMatchObject({ kind: 'test', eventId: null, status: 'failed' });
  await save({ url: NOWHERE });
  const [alert] = (await pressTest()).alerts;
  expect([alert!.role, reasonIn(alert!.title)]).toEqual(['alert', 'port-refused']);
});

test('VS-09: Send test event changes no count of votes and no failure count', async () => {
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

const isSignedWith = ({ body, headers }: ReceiverRequest, secret: string): boolean =>
  headers['x-webhook-signature'] === signature(body, secret);

test('WF-01, WR-04, WR-19, NS-36: the signing secret is created by the form and then shown once, or chosen by the owner in the form or the API; it signs the next vote, and is shown nowhere else', async () => {
  const { site, save, receiver, owner, webhook, deliveries, listed, votes } = await hooked();
  const token = await site.token(listed);
  const made = await save({ secret: 'generate' });
  const secret = made.code('made-secret')!;
  expect(secret).toMatch(/^whsec_[\w-]{43}$/);
  expect(made.html.split(secret)).toHaveLength(2);
  await votes(1);
  const saved = await save({ secret: 'own', ownSecret: 'a secret of the form' });
  await votes(1);
  const body = { webhookUrl: receiver.url, secret: 'a secret of the API' };
  const registered = await site.api.post('/webhooks/register', { token, body });
  expect(registered.body.hasSecret).toBe(true);
  await votes(1);
  const secrets = [secret, 'a secret of the form', 'a secret of the API'];
  for (const [index, each] of secrets.entries())
    expect(isSignedWith(receiver.requests[index]!, each), each).toBe(true);
  const said = [saved.html, JSON.stringify([registered.body, ...registered.headers, site.log])];
  for (const path of ['/webhooks/votes', '/webhooks/stats', '/webhooks/register', '/webhooks'])
    said.push(JSON.stringify((await site.api.get(path, { token })).body));
  const sent = receiver.requests.map(({ headers }) => `${deliveries}/${headers['x-service-delivery']}`);
  for (const at of [webhook, deliveries, listed.dashboard, ...sent])
    said.push((await owner.open(at)).html, JSON.stringify(await owner.values(at)));
  for (const each of secrets) expect(said.join()).not.toContain(each);
});

test('HD-09, HD-12: the signing secret is kept if the form is saved unchanged, removed by “None”, and not added by saving', async () => {
  const { save, receiver, owner, webhook, votes } = await hooked();
  const secret = (await save({ secret: 'generate' })).code('made-secret')!;
  expect((await owner.press(webhook)).code('made-secret')).toBeNull();
  await votes(1);
  expect(isSignedWith(receiver.requests[0]!, secret)).toBe(true);
  await save();
  await votes(1);
  await owner.press(webhook);
  await votes(1);
  for (const { headers } of receiver.requests.slice(1))
    expect(headers).not.toHaveProperty('x-webhook-signature');
});

test('WR-19: the signing secret is not repeated in a refused form, and refused, not dropped, beside another choice than “own”', async () => {
  const { save, receiver, owner, webhook } = await hooked();
  const fields = { secret: 'own', ownSecret: 'a secret of mine' };
  const answer = await save({ ...fields, url: 'ftp://example.com/' });
  expect([answer.status, answer.html.includes('a secret of mine')]).toEqual([422, false]);
  await save(fields);
  for (const secret of ['keep', 'generate', 'none']) {
    const other = { url: receiver.url, secret, ownSecret: 'another secret', active: 'on' };
    const { code, faults } = await owner.answer(webhook, other);
    expect([secret, code, Object.keys(faults)]).toEqual([secret, 'secret-not-chosen', ['ownSecret']]);
  }
});

test('WF-05: a POST of another site, or with the CSRF token of another session, is refused and changes nothing', async () => {
  const { site, owner, receiver, webhook } = await hooked();
  const theirs = { url: 'http://127.0.0.1:1/theirs', secret: 'none', active: 'on' };
  await owner.open(webhook);
  for (const headers of [
    { origin: 'http://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'http://evil.example', 'content-type': 'application/json' },
  ]) {
    const { status } = await owner.visitor.post(webhook, theirs, headers);
    const { status: tested } = await owner.visitor.post(`${webhook}/test`, {}, headers);
    expect([headers, status, tested]).toEqual([headers, 403, 403]);
  }
  const { csrf } = (await site.person()).visitor;
  expect((await owner.post(webhook, { ...theirs, csrf })).status).toBe(403);
  expect((await owner.values(webhook)).webhook.url).toBe(receiver.url);
  expect(receiver.requests).toHaveLength(0);
  await owner.press(webhook, webhook, theirs);
  expect((await owner.values(webhook)).webhook.url).toBe(theirs.url);
});

test('NS-46: open networks are named in a warning on the pages of the webhook and the listener, and only they', async () => {
  const warnings = async (allowTargets: readonly string[]) => {
    const site = await listing({ allowTargets });
    const { listed, owner } = await site.owned();
    const pages = ['webhook', 'listener'].map((at) => owner.open(`${listed.dashboard}/${at}`));
    return (await Promise.all(pages)).map(({ alerts }) => alerts.map(({ title }) => title));
  };
  const warning = [naming('127.0.0.0/8', '10.0.0.0/8')];
  expect(await warnings(['127.0.0.0/8', '10.0.0.0/8'])).toEqual([warning, warning]);
  expect(await warnings([])).toEqual([[], []]);
});
