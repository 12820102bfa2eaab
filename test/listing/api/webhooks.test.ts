/** POST /webhooks/register. What a test request does is in webhooks/tests, and which URLs are accepted in targets. */
import { describe, expect, test } from 'vitest';
import { listing } from '../../kit/listing.ts';
import { hooked } from '../../kit/listing-webhook.ts';

const REGISTER = '/webhooks/register';
const TEST = '/webhooks/test';

/** A listing with a webhook that was saved with the form, and functions that register and test. */
async function registering() {
  const scene = await hooked({ fields: { secret: 'own', ownSecret: 'kept' } });
  const token = await scene.site.token(scene.listed, 'webhooks:write');
  const { url } = scene.receiver;
  return {
    ...scene,
    url,
    register: (body: unknown) => scene.site.api.post(REGISTER, { token, body }),
    tried: (body: unknown) => scene.site.api.post(TEST, { token, body }),
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

test('WR-06: lets votes create no events if isActive is false', async () => {
  const { register, votes, receiver, events, url } = await registering();
  expect((await register({ webhookUrl: url, isActive: false })).body.isActive).toBe(false);
  await votes(1);
  expect([receiver.requests, await events()]).toEqual([[], []]);
});

test('WR-05, NS-34, NS-37: accepts vote.created by name, unknown fields, and a secret of 256 characters', async () => {
  const { register, url } = await registering();
  const { body } = await register({ webhookUrl: url, events: ['vote.created'] });
  expect(body.events).toEqual(['vote.created']);
  expect((await register({ webhookUrl: url, retries: 7, secret: 'x'.repeat(256) })).status).toBe(200);
});

test('WR-05, WR-07, WR-08, WR-15, WT-06, NS-19, NS-37: a malformed request is refused, changes nothing and is not counted', async () => {
  const { register, tried, stored, receiver, url } = await registering();
  const before = await stored();
  const without = [{}, { webhookUrl: null }, { webhookUrl: 5 }, { webhookUrl: [url] }];
  const more = [
    ...[{ events: ['x'] }, { events: ['vote.created', 'x'] }, { events: 'vote.created' }, { events: null }],
    ...[{ events: [] }, { isActive: 'true' }, { isActive: 1 }, { secret: '' }, { secret: null }],
    ...[{ secret: 'a\nb' }, { secret: 'x'.repeat(257) }],
  ];
  for (const body of [...without, ...more.map((fields) => ({ webhookUrl: `${url}/2`, ...fields }))]) {
    const { status, code } = await register(body);
    expect([body, status, code]).toEqual([body, 400, 'VALIDATION_FAILED']);
  }
  for (const body of without) expect([body, (await tried(body)).code]).toEqual([body, 'VALIDATION_FAILED']);
  expect([await stored(), receiver.requests]).toEqual([before, []]);
});

describe('NS-18: the limits', () => {
  test('NS-18: are 10 registrations and 5 tests a minute, counted separately', async () => {
    const { site, register, tried, receiver, url } = await registering();
    for (let asked = 0; asked < 3; asked++) await register({ webhookUrl: 'foo' });
    for (let asked = 0; asked < 10; asked++) expect((await register({ webhookUrl: url })).status).toBe(200);
    expect((await register({ webhookUrl: `${url}/2` })).code).toBe('RATE_LIMITED');
    for (let asked = 0; asked < 5; asked++) expect((await tried({ webhookUrl: url })).status).toBe(200);
    expect((await tried({ webhookUrl: url })).code).toBe('RATE_LIMITED');
    expect(receiver.requests).toHaveLength(5);
    site.clock.advance(60_000);
    expect((await register({ webhookUrl: url })).status).toBe(200);
  });
});

test('SV-02, SV-03: a new listing is a bot or one of four games', async () => {
  const site = await listing();
  const owner = await site.person();
  const form = (await owner.open('/new-listing')).form('/new-listing')!;
  expect(form.choices.kind).toEqual(['bot', 'minecraft', 'fivem', 'roblox', 'hytale']);
  for (const kind of ['rust', 'Minecraft', '', 'game', 'site']) {
    const answer = await owner.press('/new-listing', '/new-listing', { name: 'A fifth', kind });
    expect([kind, answer.status, Object.keys(answer.faults)]).toEqual([kind, 422, ['kind']]);
  }
  expect((await owner.values('/dashboard')).listings).toEqual([]);
  expect((await site.visitor().values('/')).listings).toEqual([]);
});
